import type { S3Settings, Settings } from './settings.js';

/** The settings as responses show them: the keys of secrets are absent, whether set or not (OPS-2). */
export function withoutSecrets(settings: Settings): Record<string, unknown> {
  const { password: _password, ...smtp } = settings.smtp;
  return {
    ...settings,
    smtp,
    s3: withoutSecret(settings.s3),
    backups: { ...settings.backups, s3: withoutSecret(settings.backups.s3) },
  };
}

function withoutSecret(s3: S3Settings): Omit<S3Settings, 'secret'> {
  const { secret: _secret, ...rest } = s3;
  return rest;
}
