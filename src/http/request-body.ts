import type { Upload } from '../kernel/files/upload.js';

/** What a request carried: values by key, and uploads by key for the parts that had a filename. */
export interface RequestBody {
  readonly values: Readonly<Record<string, unknown>>;
  readonly uploads: Readonly<Record<string, readonly Upload[]>>;
  /** Removes the temporary files that nobody took. Safe to call twice. */
  dispose(): Promise<void>;
}

/** A body without files. */
export function plainBody(values: Readonly<Record<string, unknown>>): RequestBody {
  return { values, uploads: {}, dispose: () => Promise.resolve() };
}
