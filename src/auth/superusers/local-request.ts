import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Headers by which a proxy in front gives itself away; `x-forwarded-` stands for all that begin so. */
const PROXY_HEADERS = ['forwarded', 'x-real-ip', 'via'];

/**
 * True when a request was made on this very machine, by somebody who typed a local address (AUTH-1208): the peer, the
 * `Host` and the `Origin`, if there is one, are loopback, and nothing says that a proxy passed the request on.
 * A page of another site that a browser on this machine shows has another origin, or another host name for this address.
 */
export function isLocalRequest(request: IncomingMessage, trustedHeaders: readonly string[]): boolean {
  const { headers, socket } = request;
  if (!isLoopbackHost(socket.remoteAddress ?? '')) return false;
  if (!isLoopbackHost(hostOf(`http://${headers.host ?? ''}`))) return false;
  if (headers.origin !== undefined && !isLoopbackHost(hostOf(headers.origin))) return false;
  const telltale = [...PROXY_HEADERS, ...trustedHeaders.map((name) => name.toLowerCase())];
  return !Object.keys(headers).some((name) => name.startsWith('x-forwarded-') || telltale.includes(name));
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname.replace(/^\[|\]$/g, '') : '';
}

function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
