import { ApiError } from './api-error.js';

/** 404: it does not exist, or this caller may not know that it does. */
export class NotFoundError extends ApiError {
  constructor(
    message = 'The requested resource was not found.',
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(404, message, data, options);
  }
}
