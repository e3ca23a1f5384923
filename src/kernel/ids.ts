import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const LOWER_ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyz0123456789';
export const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random text of this length from a cryptographic source, without modulo bias. */
export function randomText(length: number, alphabet: string = ALPHANUMERIC): string {
  let text = '';
  for (let index = 0; index < length; index++) text += alphabet[randomInt(alphabet.length)];
  return text;
}

/** A new record id in the default form (COL-26). */
export function newRecordId(): string {
  return randomText(15, LOWER_ALPHANUMERIC);
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
