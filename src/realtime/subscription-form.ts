import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isFine } from '../kernel/validation/validate-object.js';

const MAX_CLIENT_ID_LENGTH = 255;
const MAX_TOPICS = 1000;
const MAX_TOPIC_LENGTH = 2500;

/** It would forge lines of the stream. */
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** What a client asks for: everything it wants to listen to from now on. */
export interface SubscriptionForm {
  readonly clientId: string;
  readonly topics: ReadonlySet<string>;
}

/**
 * The body of `POST /api/realtime` (RT-25). In a form a single key is a list of one and a missing one an empty list.
 * Throws a ValidationError with everything that is wrong.
 */
export function readSubscriptionForm(values: Readonly<Record<string, unknown>>, isForm: boolean): SubscriptionForm {
  const subscriptions = isForm ? toList(values['subscriptions']) : values['subscriptions'];
  const clientId = isForm ? toText(values['clientId']) : values['clientId'];
  const errors: Record<string, FieldError | FieldErrors> = {};
  const clientIdError = checkClientId(clientId);
  if (clientIdError) errors['clientId'] = clientIdError;
  const topicsError = checkTopics(subscriptions);
  if (topicsError) errors['subscriptions'] = topicsError;
  if (!isFine(errors)) throw new ValidationError(errors);
  const topics = new Set(subscriptions as readonly string[]);
  topics.delete('');
  return { clientId: clientId as string, topics };
}

function checkClientId(clientId: unknown): FieldError | undefined {
  if (clientId === undefined || clientId === null || clientId === '') return fieldError('validation_required');
  if (typeof clientId !== 'string') return fieldError('validation_invalid_value');
  if (isLonger(clientId, MAX_CLIENT_ID_LENGTH)) {
    return fieldError('validation_length_out_of_range', { min: 1, max: MAX_CLIENT_ID_LENGTH });
  }
  return undefined;
}

function checkTopics(topics: unknown): FieldError | FieldErrors | undefined {
  if (topics === undefined || topics === null) return fieldError('validation_required');
  if (!Array.isArray(topics)) return fieldError('validation_invalid_value');
  if (!topics.every((topic) => typeof topic === 'string')) return fieldError('validation_invalid_value');
  if (topics.length > MAX_TOPICS) return fieldError('validation_length_too_long', { max: MAX_TOPICS });
  const errors: Record<string, FieldError> = {};
  for (const [index, topic] of topics.entries()) {
    if (isLonger(topic, MAX_TOPIC_LENGTH)) {
      errors[index] = fieldError('validation_length_too_long', { max: MAX_TOPIC_LENGTH });
    } else if (CONTROL_CHARACTER.test(topic)) {
      errors[index] = fieldError('validation_match_invalid');
    }
  }
  return isFine(errors) ? undefined : errors;
}

/** Lengths are code points; only a text with more units than allowed needs counting. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}

/** Forms turn what looks like a number or a boolean into one (BODY-5); as a topic it is a text again. */
function toList(value: unknown): unknown {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(toText) : [toText(value)];
}

function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}
