import type { Upload } from '../../kernel/files/upload.js';

/** What a request carried: values by key, and files by key for the parts that had a filename. */
export interface RequestBody {
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, readonly Upload[]>;
  /**
   * Removes the temporary files that nobody took, and lets others have the room of a large body. Safe to call twice.
   */
  dispose(): Promise<void>;
}

/** `dispose` of a body without files that took no room of the large ones. */
export const NOTHING_TO_DISPOSE = () => Promise.resolve();

/** A body without files. */
export function plainBody(values: Readonly<Record<string, unknown>>): RequestBody {
  return { values, files: new Map(), dispose: NOTHING_TO_DISPOSE };
}
