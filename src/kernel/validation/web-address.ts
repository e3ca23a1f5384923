import { isHostName, isIpAddress, isIpv6Address } from './host-name.js';
import { codePointLength } from './text-length.js';

// User info needs a scheme before it: `javascript:x@example.com` would be a URL otherwise. It holds no backslash: for a
// browser that is a slash, and what stands before it the host.
const URL_FORM =
  /^(?:(?<scheme>(?:https?|ftp|wss?|tcp|udp):\/\/)(?:[^\s/\\?#@[\]]*@)?)?(?<host>\[[^\s\]]*\]|[^\s:/?#@[\]]+)(?::(?<port>\d{1,5}))?(?:[/?#]\S*)?$/iu;
/** In code points, each of which takes at most two UTF-16 units. */
const LONGEST_URL = 2082;
const CONTROL = /\p{Cc}/u;

/**
 * True for a URL as COL-67 has it: one of the known schemes or none, user info, host, port, path, query, fragment.
 * Without a scheme it must contain a dot, so that an ordinary word is no URL.
 */
export function isUrl(text: string): boolean {
  if (text.length > 2 * LONGEST_URL) return false;
  const length = codePointLength(text);
  if (length < 4 || length > LONGEST_URL || CONTROL.test(text)) return false;
  const { scheme, host = '', port = '0' } = URL_FORM.exec(text)?.groups ?? {};
  if (scheme === undefined && !text.includes('.')) return false;
  return isUrlHost(host) && Number(port) <= 65535;
}

/** The lower-cased `host[:port]` of a valid URL, '' when it has no scheme. */
export function urlHost(url: string): string {
  const { scheme, host = '', port } = URL_FORM.exec(url)?.groups ?? {};
  if (scheme === undefined) return '';
  return (port === undefined ? host : `${host}:${port}`).toLowerCase();
}

function isUrlHost(host: string): boolean {
  if (host.startsWith('[')) return isIpv6Address(host.slice(1, -1));
  return isHostName(host) || isIpAddress(host);
}
