import type { ByteRange } from './file-storage.js';

/** Reading a Range header gives a range within the content, nothing to heed, or a range that is not there. */
export type RangeReading = ByteRange | 'whole' | 'unsatisfiable';

const SINGLE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/**
 * Reads the Range header of a request for content of this size (FS-71). What is malformed, or asks for several ranges,
 * is not heeded.
 */
export function parseRange(header: string | undefined, size: number): RangeReading {
  const match = SINGLE.exec(header?.replaceAll(' ', '') ?? '');
  if (!match) return 'whole';
  const [, first, last, suffix] = match;
  const range =
    suffix === undefined
      ? { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
      : { start: Math.max(0, size - Number(suffix)), end: size - 1 };
  if (last !== undefined && last !== '' && Number(last) < Number(first)) return 'whole';
  return range.start > range.end ? 'unsatisfiable' : range;
}
