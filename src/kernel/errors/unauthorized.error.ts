import { ApiError } from './api-error.js';

/** 401: the endpoint needs valid credentials and the caller is a guest. */
export class UnauthorizedError extends ApiError {
  constructor(
    message = 'Valid credentials are required.',
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(401, message, data, options);
  }
}
