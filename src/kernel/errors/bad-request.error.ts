import { ApiError } from './api-error.js';

/** 400: the request cannot be understood or carried out. */
export class BadRequestError extends ApiError {
  constructor(
    message = 'The request could not be processed.',
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(400, message, data, options);
  }
}
