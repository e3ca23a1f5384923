import { MAX_JSON_DEPTH, MAX_JSON_KEYS } from '../../kernel/validation/json-complexity.js';
import type { JsonLimits } from './json-outline.js';
import type { RoostRequest } from '../request/roost-request.js';

/** Metadata key of the BodyLimit class of a route. */
export const BODY_LIMIT = 'roost:body-limit';

/** How much of one file part is worth keeping. */
export interface PartLimits {
  /** Bytes after which the part is cut off and drained. */
  readonly maxBytes: number;
  /** Files under this key after which further ones are drained unseen. */
  readonly maxFiles: number;
}

/** What a route takes of one request's body. */
export interface BodyLimits {
  /** Bytes of the whole body; more is a 413. */
  readonly maxBytes: number;
  /** How much the JSON in it may hold; 200,000 values when absent. */
  readonly json?: JsonLimits;
  /** Milliseconds the whole body may take; five minutes when absent. */
  readonly timeout?: number;
  /** What to keep of file parts under a key; null drains them. */
  part(key: string): PartLimits | null;
}

/** Decides what a route takes; a provider named by `@ReadsBody(SomeLimit)`. Runs after the guards. */
export interface BodyLimit {
  /** Decides before a byte is read; a throw refuses the request. */
  limits(request: RoostRequest): BodyLimits | Promise<BodyLimits>;
}

/** 32 MiB: what every body may have, and bodies with files besides them (OPS-34). */
export const DEFAULT_BODY_BYTES = 32 * 1024 * 1024;

/** OPS-34a. The object that a body is has room for values that json fields take. */
export const DEFAULT_JSON_LIMITS: JsonLimits = {
  maxValues: 200_000,
  maxLevels: MAX_JSON_DEPTH + 1,
  maxKeys: MAX_JSON_KEYS,
};

/** The same for bodies whose values are data: of records, batches and imports. */
export const DATA_JSON_LIMITS: JsonLimits = { ...DEFAULT_JSON_LIMITS, maxValues: 2_000_000 };

/** What a route takes that names no limit: no files. */
export const DEFAULT_BODY_LIMITS: BodyLimits = { maxBytes: DEFAULT_BODY_BYTES, part: () => null };
