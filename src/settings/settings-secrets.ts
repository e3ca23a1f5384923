import { ApiProperty } from '../http/dto/api-decorators.js';
import type { S3Settings, Settings } from './settings.js';

/** Which secrets are set, for forms that offer to clear them. */
export class StoredSecrets {
  @ApiProperty()
  readonly smtpPassword: boolean;

  @ApiProperty()
  readonly s3Secret: boolean;

  @ApiProperty()
  readonly backupsS3Secret: boolean;
}

export function storedSecrets({ smtp, s3, backups }: Settings): StoredSecrets {
  return {
    smtpPassword: smtp.password !== '',
    s3Secret: s3.secret !== '',
    backupsS3Secret: backups.s3.secret !== '',
  };
}

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
