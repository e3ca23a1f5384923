import { ApiError } from './api-error.js';

/** 403: the caller is known and may not do this. */
export class ForbiddenError extends ApiError {
  constructor(
    message = 'You are not allowed to do this.',
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(403, message, data, options);
  }
}
