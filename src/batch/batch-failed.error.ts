import { ApiError, type ErrorBody } from '../kernel/errors/api-error.js';
import { fieldError } from '../kernel/errors/error-codes.js';

/**
 * 400: an item failed and with it the whole batch. Code and message at the top are those of the item, its whole answer
 * stands below its index (BAT-11).
 */
export class BatchFailedError extends ApiError {
  constructor(
    index: number,
    private readonly failure: ApiError,
  ) {
    const error = { ...fieldError('batch_request_failed'), response: failure.toBody() };
    super(400, failure.message, { requests: { [index]: error } }, { cause: failure });
  }

  override toBody(): ErrorBody {
    return { ...super.toBody(), code: this.failure.status };
  }
}
