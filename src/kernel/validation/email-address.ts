import { isDomain } from './host-name.js';
import { codePointLength } from './text-length.js';

// What RFC 5321 and RFC 6531 allow without quotes. Quoted local parts are refused on purpose: nobody has one, and
// what may stand inside them (blanks, angle brackets, line ends) has a meaning in mail headers.
const LOCAL_PART =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+(?:\.(?:[\w!#$%&'*+/=?^`{|}~-]|[^\p{ASCII}\p{C}\p{Z}])+)*$/u;

/** In code points, each of which takes at most two UTF-16 units. */
const LONGEST_LOCAL_PART = 64;

/** True for `local@domain` with at least one dot in the domain; international addresses included. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 2 * LONGEST_LOCAL_PART) return false;
  const local = text.slice(0, at);
  return codePointLength(local) <= LONGEST_LOCAL_PART && LOCAL_PART.test(local) && isDomain(text.slice(at + 1));
}

/** What follows the `@` of an address, lower-cased. */
export function emailDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
