import { ApiProperty } from '../http/dto/api-decorators.js';
import { FromForm, Fulfils, HasLength, IsRequired, textOf } from '../http/dto/validators.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { isFine } from '../kernel/validation/validate-object.js';

const MAX_TOPICS = 1000;
const MAX_TOPIC_LENGTH = 2500;

/** Such a character would forge lines of the stream. */
// oxlint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** Everything a client wants to listen to from now on (RT-25). A value of another JSON type is a wrong value here. */
export class SubscriptionDto {
  @ApiProperty({ type: String })
  @FromForm(textOf)
  @IsRequired()
  @Fulfils('isText', checkText)
  @HasLength(1, 255)
  readonly clientId: string = '';

  /** In a form a single key is a list of one and a missing one an empty list. */
  @ApiProperty({ type: [String] })
  @FromForm(toList)
  @Fulfils('areTopics', checkTopics)
  readonly subscriptions: readonly string[] | undefined = undefined;

  /** Each once, without the empty ones (RT-29). */
  get topics(): ReadonlySet<string> {
    return new Set(this.subscriptions?.filter((topic) => topic !== ''));
  }
}

function checkText(value: unknown): FieldError | undefined {
  return typeof value === 'string' ? undefined : fieldError('validation_invalid_value');
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

function toList(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(textOf) : [textOf(value)];
}
