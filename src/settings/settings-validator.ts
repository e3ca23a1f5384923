import { plainToInstance } from 'class-transformer';
import { validateObject } from '../http/dto/class-validator.js';
import { findError } from '../http/dto/read-dto.js';
import { toFieldErrors } from '../http/dto/dto-errors.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { type RateLimitRule, Settings } from './settings.js';

/** The settings in their normal form. Throws a ValidationError that names every wrong value (OPS-5). */
export function checkSettings(settings: Settings): Settings {
  const dto = plainToInstance(Settings, settings);
  const errors = withConflicts(toFieldErrors(validateObject(dto), findError), settings.rateLimits.rules);
  if (!isFine(errors)) throw new ValidationError(errors, 'The settings could not be saved.');
  return { ...settings, trustedProxy: { ...settings.trustedProxy, headers: dto.trustedProxy.headers } };
}

/** Adds the conflicts between rules. A rule that is wrong itself reports only that. */
function withConflicts(errors: FieldErrors, rules: readonly RateLimitRule[]): FieldErrors {
  const conflicting = conflicts(rules);
  const section = (errors['rateLimits'] ?? {}) as FieldErrors;
  if (isFine(conflicting)) return errors;
  return { ...errors, rateLimits: { ...section, rules: { ...conflicting, ...(section['rules'] as FieldErrors) } } };
}

/** Two rules that would both apply to somebody: the later one is the one that is wrong. */
function conflicts(rules: readonly RateLimitRule[]): FieldErrors {
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
  return errors;
}
