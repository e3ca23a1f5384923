import type { RequestBody } from '../../http/request-body.js';
import type { Caller } from '../../kernel/records/caller.js';
import { readForm } from '../auth-form.js';

/** The id of the challenge that a sign-in answers: from the query string, else from the body; '' when there is none. */
export function mfaIdOf(body: RequestBody, caller: Caller): string {
  return caller.request.query['mfaId'] || readForm(body, caller, { mfaId: 'text' }).mfaId;
}
