import { isCronExpression } from '../cron-expression.js';
import { fieldError, type ErrorCode } from '../errors/error-codes.js';
import type { FieldError } from '../errors/field-error.js';
import { isEmailAddress } from './email-address.js';
import { isDomain, isHostName, isIpAddress, isSubnet } from './host-name.js';
import { codePointLength } from './text-length.js';
import { isUrl } from './web-address.js';

/**
 * A check of a value; gives the error, or undefined. All rules except those about emptiness accept empty values
 * (undefined, null, ''), so that optional values need no case of their own.
 */
export type Rule = (value: unknown) => FieldError | undefined;

/** Refuses undefined, null, '', 0, false and empty lists. */
export const required: Rule = (value) =>
  isEmpty(value) || value === 0 || value === false || (Array.isArray(value) && value.length === 0)
    ? fieldError('validation_required')
    : undefined;

/** Refuses everything but null. */
export const nil: Rule = (value) => (value === null || value === undefined ? undefined : fieldError('validation_nil'));

/** Refuses '': null means nobody and a text is an expression, but '' would mean everybody by accident. */
export const nilOrNotEmpty: Rule = (value) =>
  value === '' ? fieldError('validation_nil_or_not_empty_required') : undefined;

export const email: Rule = textRule(isEmailAddress, 'validation_is_email');

/** A URL; a host without scheme counts as one. */
export const url: Rule = textRule(isUrl, 'validation_is_url');

export const domain: Rule = textRule(isDomain, 'validation_is_domain');

/** A host name or an IP address. */
export const host: Rule = textRule((text) => isHostName(text) || isIpAddress(text), 'validation_is_host');

/** A URL, a host name or an IP address, optionally with a port. */
export const urlOrHost: Rule = textRule(
  (text) => isUrl(text) || isUrl(`http://${text}`) || isIpAddress(text),
  'validation_is_url',
);

/** An IP address or a range in CIDR form. The misspelt code is what clients know. */
export const ipOrSubnet: Rule = textRule(
  (text) => isIpAddress(text) || isSubnet(text),
  'validation_invlaid_ip_or_subnet',
);

/** A URL, or a host with its port, as one writes who tries something out. */
export const urlOrHostPort: Rule = textRule(
  (text) => isUrl(text) || (/:\d+\/?$/.test(text) && isUrl(`http://${text}`)),
  'validation_is_url',
);

/** `#rrggbb`. */
export const hexColor: Rule = textRule((text) => /^#[0-9a-f]{6}$/i.test(text), 'validation_is_hex_color');

/** A schedule of OPS-140. */
export const cron: Rule = textRule(isCronExpression, 'validation_invalid_cron');

/** The number of characters, or of whatever `measure` counts, has to be between `min` and `max`. */
export function length(min: number, max: number, measure: (text: string) => number = codePointLength): Rule {
  return textRule((text) => measure(text) >= min && measure(text) <= max, 'validation_length_out_of_range', {
    min,
    max,
  });
}

/** At most this many characters, or items of a list. */
export function maxLength(max: number, measure: (text: string) => number = codePointLength): Rule {
  return (value) => {
    const size = Array.isArray(value) ? value.length : typeof value === 'string' ? measure(value) : 0;
    return size > max ? fieldError('validation_length_too_long', { max }) : undefined;
  };
}

/** Exactly this many characters. */
export function exactLength(size: number): Rule {
  return textRule((text) => codePointLength(text) === size, 'validation_length_invalid', { length: size });
}

/** A number not below the threshold. */
export function atLeast(threshold: number): Rule {
  return numberRule((number) => number >= threshold, 'validation_min_greater_equal_than_required', threshold);
}

/** A number not above the threshold. */
export function atMost(threshold: number): Rule {
  return numberRule((number) => number <= threshold, 'validation_max_less_equal_than_required', threshold);
}

/** One of these values. */
export function oneOf(...values: readonly unknown[]): Rule {
  return (value) => (isEmpty(value) || values.includes(value) ? undefined : fieldError('validation_in_invalid'));
}

/** None of these values. */
export function noneOf(...values: readonly unknown[]): Rule {
  return (value) => (isEmpty(value) || !values.includes(value) ? undefined : fieldError('validation_not_in_invalid'));
}

/** A text the pattern matches. The pattern is ours, so it has to be written without nested repetition. */
export function pattern(form: RegExp, code: ErrorCode = 'validation_match_invalid'): Rule {
  return textRule((text) => text.search(form) !== -1, code);
}

/** The same as another value, also when both are empty. */
export function equalTo(other: unknown): Rule {
  return (value) => (value === other ? undefined : fieldError('validation_values_mismatch'));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function textRule(holds: (text: string) => boolean, code: ErrorCode, params?: Readonly<Record<string, unknown>>): Rule {
  return (value) => {
    if (isEmpty(value)) return undefined;
    return typeof value === 'string' && holds(value) ? undefined : fieldError(code, params);
  };
}

function numberRule(holds: (number: number) => boolean, code: ErrorCode, threshold: number): Rule {
  return (value) => {
    if (isEmpty(value)) return undefined;
    return typeof value === 'number' && holds(value) ? undefined : fieldError(code, { threshold });
  };
}
