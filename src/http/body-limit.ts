import type { RoostRequest } from './roost-request.js';

/** How much of one file part is worth keeping. */
export interface PartTerms {
  /** Bytes after which the part is cut off and drained. */
  readonly maxBytes: number;
  /** Files under this key after which further ones are drained unseen. */
  readonly maxFiles: number;
}

/** What a route takes of one request's body. */
export interface BodyTerms {
  /** Bytes of the whole body; more is a 413. */
  readonly maxBytes: number;
  /** Milliseconds the whole body may take; five minutes when absent. */
  readonly timeout?: number;
  /** What to keep of file parts under a key; null drains them. */
  part(key: string): PartTerms | null;
}

/** Decides what a route takes; a provider named by `@ReadsBody(SomeLimit)`. Runs after the guards. */
export interface BodyLimit {
  /** Decides before a byte is read; a throw refuses the request. */
  terms(request: RoostRequest): BodyTerms | Promise<BodyTerms>;
}

/** The limit of every route that names none: 32 MiB and no files (OPS-34). */
export const DEFAULT_BODY_BYTES = 33_554_432;

export const DEFAULT_BODY_TERMS: BodyTerms = { maxBytes: DEFAULT_BODY_BYTES, part: () => null };
