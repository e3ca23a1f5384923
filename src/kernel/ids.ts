import { randomFillSync, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const LOWER_ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Random bytes are fetched in bulk, because fetching them one by one would cost more than the rest of an id. The pool
 * is shared by all applications of a process; each byte is used once.
 */
const pool = new Uint8Array(4096);
let poolUsed = pool.length;

/** Random text of this length from a cryptographic source, without modulo bias. At most 256 different characters. */
export function randomText(length: number, alphabet: string = ALPHANUMERIC): string {
  let text = '';
  while (text.length < length) text += alphabet[randomBelow(alphabet.length)];
  return text;
}

/** A random whole number from 0 to one less than `size`, from a cryptographic source, without modulo bias. */
export function randomBelow(size: number): number {
  if (size === 1) return 0;
  if (size > 256) return randomInt(size);
  const limit = 256 - (256 % size);
  for (;;) {
    const byte = randomByte();
    if (byte < limit) return byte % size;
  }
}

function randomByte(): number {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const byte = pool[poolUsed]!;
  pool[poolUsed++] = 0;
  return byte;
}

/** A new record id in the default form (COL-26). */
export function newRecordId(): string {
  return randomText(15, LOWER_ALPHANUMERIC);
}

/**
 * Makes ids in the form of a record id that sort by their time (milliseconds since the Unix epoch): nine characters of
 * time, six random ones. A table that only grows stays in order under such ids, which makes writing to it three times
 * cheaper. Many at once are often of the same millisecond, whose text is made once.
 */
export function timeOrderedIds(): (milliseconds: number) => string {
  let last = NaN;
  let time = '';
  return (milliseconds) => {
    if (milliseconds !== last)
      time = Math.trunc((last = milliseconds))
        .toString(36)
        .padStart(9, '0');
    return time + randomText(6, LOWER_ALPHANUMERIC);
  };
}

/**
 * An id that follows from a text, so that equal definitions get equal ids in every installation (COL-20, COL-27): the
 * prefix and the decimal CRC-32 of the text. When that is taken, the counters 2, 3, … are appended to it.
 */
export function checksumId(prefix: string, text: string, isTaken: (id: string) => boolean = () => false): string {
  const id = prefix + String(crc32(text));
  let candidate = id;
  for (let counter = 2; isTaken(candidate); counter++) candidate = id + String(counter);
  return candidate;
}
