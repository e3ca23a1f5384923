import { ApiError } from './api-error.js';

/** 429: a rate limit or a throttle is used up. `retryAfter` is in whole seconds and becomes the Retry-After header. */
export class TooManyRequestsError extends ApiError {
  constructor(
    readonly retryAfter?: number,
    message = 'Too many requests, try again later.',
  ) {
    super(429, message);
  }

  override get headers(): Readonly<Record<string, string>> {
    return this.retryAfter === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(this.retryAfter))) };
  }
}
