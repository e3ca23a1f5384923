import { plainToInstance } from 'class-transformer';
import { validateObject } from '../http/dto/class-validator.js';
import { findError } from '../http/dto/read-dto.js';
import { toFieldErrors } from '../http/dto/dto-errors.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { type RateLimitRule, Settings } from './settings.js';

/** Rules of rate limits; each takes a tenth of a millisecond or two to be checked, and to be looked at by requests. */
const MOST_RULES = 250;

/** The settings in their normal form. Throws a ValidationError that names every wrong value (OPS-5). */
export function checkSettings(settings: Settings): Settings {
  requireFewRules(settings);
  const dto = plainToInstance(Settings, settings);
  const errors = withConflicts(toFieldErrors(validateObject(dto), findError), settings.rateLimits.rules);
  if (!isFine(errors)) throw new ValidationError(errors, 'The settings could not be saved.');
  return { ...settings, trustedProxy: { ...settings.trustedProxy, headers: dto.trustedProxy.headers } };
}

/** Before anything is checked, which takes long where there are many (OPS-39). */
function requireFewRules({ rateLimits: { rules } }: Settings): void {
  if (!Array.isArray(rules) || rules.length <= MOST_RULES) return;
  throw new ValidationError({ rateLimits: { rules: fieldError('validation_length_too_long', { max: MOST_RULES }) } });
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
  const audiences = new Map<string, Set<RateLimitRule['audience']>>();
  rules.forEach(({ label, audience }, index) => {
    const earlier = audiences.get(label);
    const clashes = earlier && (earlier.has(audience) || earlier.has('') || audience === '');
    audiences.set(label, (earlier ?? new Set()).add(audience));
    if (clashes) errors[String(index)] = { label: fieldError('validation_conflicting_rate_limit_rule') };
  });
  return errors;
}
