import { plainToInstance } from 'class-transformer';
import { validateObject } from '../http/dto/class-validator.js';
import { findError } from '../http/dto/read-dto.js';
import { toFieldErrors } from '../http/dto/dto-errors.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { type RateLimitRule, Settings } from './settings.js';

const REFUSED = 'The settings could not be saved.';

/** Rules of rate limits: each takes a tenth of a millisecond to be checked. */
const MOST_RULES = 250;

/** Addresses in a list: each takes a hundredth of a millisecond to be checked, and as long for the next request. */
const MOST_ADDRESSES = 2000;

/** Headers that may name the client, which every request is asked for. */
const MOST_HEADERS = 100;

/** The settings in their normal form. Throws a ValidationError that names every wrong value (OPS-5). */
export function checkSettings(settings: Settings): Settings {
  requireShortLists(settings);
  const dto = plainToInstance(Settings, settings);
  const errors = withConflicts(toFieldErrors(validateObject(dto), findError), settings.rateLimits.rules);
  if (!isFine(errors)) throw new ValidationError(errors, REFUSED);
  return { ...settings, trustedProxy: { ...settings.trustedProxy, headers: dto.trustedProxy.headers } };
}

/** Before anything is checked, which takes long where there is much (OPS-39). */
function requireShortLists({ rateLimits, superuserIPs, trustedProxy }: Settings): void {
  const errors = {
    ...withIn('rateLimits', {
      ...longerThan(MOST_RULES, 'rules', rateLimits.rules),
      ...longerThan(MOST_ADDRESSES, 'excludedIPs', rateLimits.excludedIPs),
    }),
    ...withIn('trustedProxy', longerThan(MOST_HEADERS, 'headers', trustedProxy.headers)),
    ...longerThan(MOST_ADDRESSES, 'superuserIPs', superuserIPs),
  };
  if (!isFine(errors)) throw new ValidationError(errors, REFUSED);
}

function longerThan(max: number, name: string, list: readonly unknown[]): FieldErrors {
  return list.length > max ? { [name]: fieldError('validation_length_too_long', { max }) } : {};
}

function withIn(section: string, errors: FieldErrors): FieldErrors {
  return isFine(errors) ? {} : { [section]: errors };
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
