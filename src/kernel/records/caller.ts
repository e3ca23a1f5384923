import type { RecordModel } from './record-model.js';
import { LayeredRequest } from './layered-request.js';
import { NO_REQUEST, type RequestInfo } from './request-info.js';

/** The id of the collection `_superusers`, the same in every installation (COL-20). */
export const SUPERUSERS_ID = 'pbc_3142635823';

/** Who acts (a guest, a record of an auth collection, a superuser) and through which request. Immutable. */
export class Caller {
  constructor(
    /** The authenticated record; null for a guest. */
    readonly auth: RecordModel | null,
    readonly request: RequestInfo = NO_REQUEST,
    /** The real IP, trusted proxies considered; '' when nobody asked over the network. */
    readonly ip: string = '',
  ) {
    // Usually an account that was looked up and not found; it must not count as a guest silently.
    if (auth === undefined) throw new TypeError('A Caller needs a record, or null for a guest.');
  }

  /** Nobody is signed in. */
  get isGuest(): boolean {
    return this.auth === null;
  }

  /** No rule applies to a superuser. */
  get isSuperuser(): boolean {
    return this.auth?.collection.id === SUPERUSERS_ID;
  }

  /** The same caller, seen through another request. */
  withRequest(request: Partial<RequestInfo>): Caller {
    return new Caller(this.auth, new LayeredRequest(this.request, request), this.ip);
  }
}

/** Nobody in particular, without a request. */
export const GUEST = new Caller(null);
