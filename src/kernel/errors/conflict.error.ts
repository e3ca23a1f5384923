import { ApiError } from './api-error.js';

/** 409: somebody else has changed the same things at the same moment. The request may be sent again. */
export class ConflictError extends ApiError {
  constructor(options?: ErrorOptions) {
    super(409, 'Others have changed the same data at the same moment. Please try again.', {}, options);
  }

  override get headers(): Readonly<Record<string, string>> {
    return { 'retry-after': '1' };
  }
}
