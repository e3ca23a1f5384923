import { ApiError } from './api-error.js';

/** 503: the server cannot take this now. `retryAfter` is in whole seconds and becomes the Retry-After header. */
export class ServiceUnavailableError extends ApiError {
  constructor(
    message = 'The server is not available at the moment.',
    readonly retryAfter?: number,
    options?: ErrorOptions,
  ) {
    super(503, message, {}, options);
  }

  override get headers(): Readonly<Record<string, string>> {
    return this.retryAfter === undefined ? {} : { 'retry-after': String(this.retryAfter) };
  }
}
