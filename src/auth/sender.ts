import type { RequestBody } from '../http/body/request-body.js';
import type { Caller } from '../kernel/records/caller.js';

/** The caller of a sign-in whose rules see what was sent (AUTH-702). */
export function senderOf(body: Pick<RequestBody, 'values'>, caller: Caller): Caller {
  return caller.withRequest({ body: body.values });
}
