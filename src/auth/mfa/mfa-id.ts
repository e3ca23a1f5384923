import { readDto } from '../../http/dto/read-dto.js';
import type { Caller } from '../../kernel/records/caller.js';
import { MfaDto } from './mfa.dto.js';

/** The id of the challenge that a sign-in answers: from the query string, else from the body; '' when there is none. */
export function mfaIdOf({ mfaId }: MfaDto, { request }: Caller): string {
  return request.query['mfaId'] || mfaId;
}

/** As `mfaIdOf`, for a body of any shape. */
export function mfaIdIn(values: Readonly<Record<string, unknown>>, caller: Caller): string {
  const type = caller.request.headers['content_type'] ?? '';
  const isForm = !type.trim().toLowerCase().startsWith('application/json');
  return mfaIdOf(readDto(MfaDto, { values, isForm }), caller);
}
