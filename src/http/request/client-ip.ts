import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';

/** DI token of a function that returns the TrustedProxy in force; the settings provide it. */
export const TRUSTED_PROXY = Symbol('TRUSTED_PROXY');

/** Which headers of a proxy in front may name the client: the settings of the same name. */
export interface TrustedProxy {
  readonly headers: readonly string[];
  readonly useLeftmostIP: boolean;
}

/** What of a request tells where it comes from. Node's IncomingMessage has this shape. */
export interface AddressedRequest {
  readonly rawHeaders: readonly string[];
  readonly socket: { readonly remoteAddress?: string };
}

/** The address a request really comes from, under the settings in force. */
@Injectable()
export class ClientIp {
  /** The last text that was normalized and its address, because one in IPv6 takes 2 microseconds, 5 % of a view. */
  private lastText = '';
  private lastIp = '';

  constructor(@Inject(TRUSTED_PROXY) private readonly trustedProxy: () => TrustedProxy) {}

  /**
   * The real IP of a request (OPS-31): the first valid address in the trusted headers, otherwise the socket's; `''`
   * when the socket is gone. The form is that of `normalizeIp`, so two addresses are the same when their texts are.
   */
  of({ rawHeaders, socket }: AddressedRequest): string {
    const { headers, useLeftmostIP } = this.trustedProxy();
    for (const name of headers) {
      const address = addressIn(lastHeaderLine(rawHeaders, name), useLeftmostIP);
      if (address !== undefined) return address;
    }
    const text = socket.remoteAddress ?? '';
    if (text !== this.lastText) {
      this.lastIp = normalizeIp(text) ?? '';
      this.lastText = text;
    }
    return this.lastIp;
  }
}

/**
 * The one spelling of an address: IPv4 with dots, also when it came mapped into IPv6; IPv6 with all its digits.
 * Undefined when the text is no address; one with a port is none.
 */
export function normalizeIp(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version === 0) return undefined;
  const address = ipaddr.IPv6.parse(text);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  const expanded = address.parts.map((part) => part.toString(16).padStart(4, '0')).join(':');
  return address.zoneId === undefined ? expanded : `${expanded}%${address.zoneId}`;
}

/**
 * Whose requests count as those of one client: an IPv4 address, or the /64 network of an IPv6 one, of which every
 * connection has as many addresses as it likes. `ip` as `normalizeIp` spells it.
 */
export function clientOf(ip: string): string {
  return ip.includes(':') ? ip.slice(0, 19) : ip;
}

/**
 * Node joins repeated lines with commas, so a client could put its own in front of the proxy's: the raw last one
 * counts.
 */
function lastHeaderLine(rawHeaders: readonly string[], name: string): string {
  const wanted = name.toLowerCase();
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index].toLowerCase() === wanted) return rawHeaders[index + 1];
  }
  return '';
}

function addressIn(line: string, leftmost: boolean): string | undefined {
  if (line === '') return undefined;
  const entries = line.split(',');
  if (!leftmost) entries.reverse();
  for (const entry of entries) {
    const address = normalizeIp(entry.trim());
    if (address !== undefined) return address;
  }
  return undefined;
}
