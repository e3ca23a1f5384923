import { fieldError } from '../errors/error-codes.js';
import type { FieldError, FieldErrors } from '../errors/field-error.js';
import { isDomain } from '../validation/host-name.js';
import type { FieldDefinition } from './field-definition.js';
import type { FieldOption } from './field-type.js';

/** Errors of a definition while they are collected. */
export type OptionErrors = Record<string, FieldError | FieldErrors>;

/** What `validation_min_greater_equal_than_required` says about an option or a date. */
export function belowMinimum(threshold: unknown): FieldError {
  return fieldError('validation_min_greater_equal_than_required', { threshold });
}

/** What `validation_max_less_equal_than_required` says about an option or a date. */
export function aboveMaximum(threshold: unknown): FieldError {
  return fieldError('validation_max_less_equal_than_required', { threshold });
}

/** Errors of the options that are integers: each has to be between 0 and 2^53 - 1 (COL-59). */
export function checkIntegers(field: FieldDefinition, options: Readonly<Record<string, FieldOption>>): OptionErrors {
  const errors: OptionErrors = {};
  for (const [name, { kind }] of Object.entries(options)) {
    if (kind !== 'integer') continue;
    const value = field[name] as number;
    if (value < 0) errors[name] = belowMinimum(0);
    if (value > Number.MAX_SAFE_INTEGER) errors[name] = aboveMaximum(Number.MAX_SAFE_INTEGER);
  }
  return errors;
}

/** Errors of the items of a list option, keyed by decimal index; undefined when all of them are fine. */
export function checkItems(
  items: readonly string[] | null,
  check: (item: string) => FieldError | undefined,
): FieldErrors | undefined {
  const errors: OptionErrors = {};
  (items ?? []).forEach((item, index) => {
    const error = check(item);
    if (error) errors[String(index)] = error;
  });
  return Object.keys(errors).length === 0 ? undefined : errors;
}

/** The two lists by which `email` and `url` fields choose domains. */
export interface DomainLists extends FieldDefinition {
  readonly onlyDomains: readonly string[] | null;
  readonly exceptDomains: readonly string[] | null;
}

/** These lists as options of a field. */
export const DOMAIN_LIST_OPTIONS: Readonly<Record<string, FieldOption>> = {
  exceptDomains: { kind: 'strings?', default: null },
  onlyDomains: { kind: 'strings?', default: null },
};

/** Errors of the domain lists: only one may be used, and only for domains. */
export function checkDomainLists(field: DomainLists): OptionErrors {
  const errors: OptionErrors = {};
  const both = (field.onlyDomains?.length ?? 0) > 0 && (field.exceptDomains?.length ?? 0) > 0;
  for (const name of ['exceptDomains', 'onlyDomains'] as const) {
    const error = both
      ? fieldError('validation_empty')
      : checkItems(field[name], (item) => (isDomain(item) ? undefined : fieldError('validation_is_domain')));
    if (error) errors[name] = error;
  }
  return errors;
}

/** True when the lists let values of this lower-cased domain pass. */
export function allowsDomain(field: DomainLists, domain: string): boolean {
  const lists = (domains: readonly string[] | null) => domains?.some((each) => each.toLowerCase() === domain) ?? false;
  if (field.onlyDomains && field.onlyDomains.length > 0) return lists(field.onlyDomains);
  return !lists(field.exceptDomains);
}
