import { fieldError } from '../kernel/errors/error-codes.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isJsonObject } from '../kernel/json-object.js';
import { isFine } from '../kernel/validation/validate-object.js';

const METHODS: readonly string[] = ['POST', 'PATCH', 'PUT', 'DELETE'];
const MAX_URL_LENGTH = 2000;

type Values = Readonly<Record<string, unknown>>;

/** One request of a batch, in the shape the body had. */
export interface BatchRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Values;
}

/**
 * The requests of a batch's body. Throws a BadRequestError when something has the wrong JSON type (BAT-3), then a
 * ValidationError for what the requests say (BAT-5); nothing has run by then.
 */
export function readBatchRequests(values: Values, maxRequests: number): BatchRequest[] {
  const requests = values['requests'] ?? [];
  if (!Array.isArray(requests)) throw wrongType('requests');
  if (requests.length === 0) throw new ValidationError({ requests: fieldError('validation_required') });
  // Before they are looked at: there may be millions.
  if (requests.length > maxRequests) {
    throw new ValidationError({ requests: fieldError('validation_length_too_long', { max: maxRequests }) });
  }
  const shaped = requests.map((request, index) => toShape(request, `requests.${index}`));
  const errors: Record<string, FieldErrors> = {};
  for (const [index, request] of shaped.entries()) {
    const found = checkRequest(request);
    if (!isFine(found)) errors[index] = found;
  }
  if (!isFine(errors)) throw new ValidationError({ requests: errors });
  return shaped as BatchRequest[];
}

type ShapedRequest = Omit<BatchRequest, 'method'> & { readonly method: unknown };

function toShape(request: unknown, where: string): ShapedRequest {
  if (!isJsonObject(request)) throw wrongType(where);
  const { method, url, headers, body } = request;
  if (url !== undefined && url !== null && typeof url !== 'string') throw wrongType(`${where}.url`);
  return {
    method: method ?? '',
    url: url ?? '',
    headers: toHeaders(headers ?? {}, `${where}.headers`),
    body: toObject(body ?? {}, `${where}.body`),
  };
}

function toHeaders(headers: unknown, where: string): Readonly<Record<string, string>> {
  const object = toObject(headers, where);
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== 'string') throw wrongType(`${where}.${name}`);
  }
  return object as Readonly<Record<string, string>>;
}

function toObject(value: unknown, where: string): Values {
  if (!isJsonObject(value)) throw wrongType(where);
  return value;
}

function checkRequest({ method, url }: ShapedRequest): Record<string, FieldError> {
  const errors: Record<string, FieldError> = {};
  if (method === '') errors['method'] = fieldError('validation_required');
  else if (!METHODS.includes(method as string)) errors['method'] = fieldError('validation_in_invalid');
  if (url === '') errors['url'] = fieldError('validation_required');
  else if (url.length > MAX_URL_LENGTH && [...url].length > MAX_URL_LENGTH) {
    errors['url'] = fieldError('validation_length_too_long', { max: MAX_URL_LENGTH });
  }
  return errors;
}

function wrongType(where: string): BadRequestError {
  return new BadRequestError(`The batch could not be read: "${where}" has the wrong type.`);
}
