import { ApiError } from './api-error.js';

/** 408: the work did not end before its deadline. */
export class TimeoutError extends ApiError {
  constructor(
    message = 'The request took too long.',
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(408, message, data, options);
  }
}
