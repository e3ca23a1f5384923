import { readDto, readValidDtos, requireValid } from '../http/dto/read-dto.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { BatchDto, BatchRequest } from './batch.dto.js';

/**
 * The requests of a batch's body. Throws a BadRequestError when something has the wrong JSON type (BAT-3), then a
 * ValidationError for what the requests say (BAT-5); nothing has run by then.
 */
export async function readBatchRequests(
  values: Readonly<Record<string, unknown>>,
  maxRequests: number,
): Promise<BatchRequest[]> {
  const batch = readDto(BatchDto, { values, isForm: false });
  const tooLong = fieldError('validation_length_too_long', { max: maxRequests });
  requireValid(batch, { requests: batch.requests.length > maxRequests ? tooLong : undefined });
  return readValidDtos(BatchRequest, 'requests', batch.requests);
}
