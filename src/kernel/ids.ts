import { randomInt } from 'node:crypto';

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
