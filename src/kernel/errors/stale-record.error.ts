import { NotFoundError } from './not-found.error.js';

/** 404: the record was deleted, or what may be used once was used, by somebody else since it was read. */
export class StaleRecordError extends NotFoundError {}
