import { ApiError } from './api-error.js';

/** 413: the body is larger than the route takes. */
export class PayloadTooLargeError extends ApiError {
  constructor(
    message = 'The request body is too large.',
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(413, message, data, options);
  }
}
