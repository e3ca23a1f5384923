import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import {
  cron,
  email,
  exactLength,
  hexColor,
  host,
  ipOrSubnet,
  length,
  atMost,
  atLeast,
  oneOf,
  pattern,
  required,
  url,
  urlOrHost,
} from '../kernel/validation/rules.js';
import { type Check, each, isFine, object, validateObject, when } from '../kernel/validation/validate-object.js';
import type { RateLimitRule, S3Settings, Settings } from './settings.js';

const LABEL = /^(\w+ \/[\w/-]*|\/[\w/-]*|\w+:\w+|\*:\w+|\w+)$/;

/** The settings in their normal form. Throws a ValidationError that names every wrong value (OPS-5). */
export function checkSettings(settings: Settings): Settings {
  const normal: Settings = {
    ...settings,
    trustedProxy: {
      ...settings.trustedProxy,
      headers: settings.trustedProxy.headers.map((name) => name.trim()).filter((name) => name !== ''),
    },
  };
  const errors = validateObject(normal, {
    meta: object({
      appName: [required, length(1, 255)],
      appURL: [required, url],
      senderName: [required, length(1, 255)],
      senderAddress: [required, email],
      accentColor: [exactLength(7), hexColor],
    }),
    logs: object({ maxDays: atLeast(0) }),
    smtp: smtpCheck(normal.smtp.enabled),
    s3: s3Check(normal.s3),
    backups: object({
      cron,
      cronMaxKeep: [when(normal.backups.cron !== '', required), atLeast(0)],
      s3: s3Check(normal.backups.s3),
    }),
    rateLimits: rateLimitsCheck(normal.rateLimits),
    batch: object({ maxRequests: atLeast(0), timeout: atLeast(0), maxBodySize: atLeast(0) }),
    superuserIPs: each(required, ipOrSubnet),
  });
  if (!isFine(errors)) throw new ValidationError(errors, 'The settings could not be saved.');
  return normal;
}

function smtpCheck(enabled: boolean): Check {
  return object({
    host: [when(enabled, required), host],
    port: [when(enabled, required), atLeast(0), atMost(65535)],
    authMethod: oneOf('', 'PLAIN', 'LOGIN'),
    localName: host,
  });
}

function s3Check({ enabled }: S3Settings): Check {
  const needed = when(enabled, required);
  return object({ bucket: needed, region: needed, endpoint: [needed, urlOrHost], accessKey: needed, secret: needed });
}

function rateLimitsCheck({ enabled, rules }: Settings['rateLimits']): Check {
  const shape = object({
    label: [required, pattern(LABEL)],
    audience: oneOf('', '@guest', '@auth'),
    duration: [required, atLeast(1)],
    maxRequests: [required, atLeast(1)],
  });
  return object({
    // A conflict is told beside what is wrong with other rules, and gives way to what is wrong with its own.
    rules: [when(enabled, required), (value) => together(conflicts(rules), each(shape)(value) as FieldErrors)],
    excludedIPs: each(required, ipOrSubnet),
  });
}

function together(...all: readonly (FieldErrors | undefined)[]): FieldErrors | undefined {
  const errors: FieldErrors = Object.assign({}, ...all) as FieldErrors;
  return isFine(errors) ? undefined : errors;
}

/** Two rules that would both apply to somebody: the later one is the one that is wrong. */
function conflicts(rules: readonly RateLimitRule[]): FieldErrors | undefined {
  const errors: Record<string, { label: FieldError }> = {};
  rules.forEach((rule, index) => {
    const clashes = rules
      .slice(0, index)
      .some(
        (earlier) =>
          earlier.label === rule.label &&
          (earlier.audience === rule.audience || earlier.audience === '' || rule.audience === ''),
      );
    if (clashes) errors[String(index)] = { label: fieldError('validation_conflicting_rate_limit_rule') };
  });
  return isFine(errors) ? undefined : errors;
}
