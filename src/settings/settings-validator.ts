import { plainToInstance } from 'class-transformer';
import { type ValidationError as DtoError, validateSync } from 'class-validator';
import { toFieldErrors } from '../http/dto-errors.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { FULFILS, type FulfilsContext } from './fulfils.decorator.js';
import { SettingsDto } from './settings.dto.js';
import type { RateLimitRule, Settings } from './settings.js';

/**
 * The settings in their normal form. Throws a ValidationError that names every wrong value (OPS-5). The libraries
 * behind it are large, so it is imported when the first change comes.
 */
export function checkSettings(settings: Settings): Settings {
  const dto = plainToInstance(SettingsDto, settings);
  const errors = withConflicts(toFieldErrors(validateSync(dto), findAgain), settings.rateLimits.rules);
  if (!isFine(errors)) throw new ValidationError(errors, 'The settings could not be saved.');
  return { ...settings, trustedProxy: { ...settings.trustedProxy, headers: dto.trustedProxy.headers } };
}

/** What class-validator keeps of a failed check has no place for parameters, so the check is asked once more. */
function findAgain({ contexts, value, target }: DtoError): FieldError | FieldErrors {
  const { find } = contexts![FULFILS] as FulfilsContext;
  return find(value, target as never)!;
}

/** A conflict is told beside what is wrong with other rules, and gives way to what is wrong with its own. */
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
