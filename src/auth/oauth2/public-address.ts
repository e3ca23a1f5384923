import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const GIVEN_OUT = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/**
 * True for an address of the public internet. Everything that can lead back inside is not: loopback, private,
 * link-local, shared, reserved and multicast ranges, and the IPv6 forms an IPv4 address can hide in.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // Without dots: with them ipaddr takes ::8.8.8.8 for ::ffff:8.8.8.8.
  const plain = isIPv6(text) && !text.includes('%') ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
  const address = ipaddr.process(plain);
  if (address.range() !== 'unicast') return false;
  // What IPv6 has given out lies in 2000::/3; the rest holds old forms of IPv4 addresses, such as ::127.0.0.1.
  return address.kind() === 'ipv4' || address.match(GIVEN_OUT);
}

type LookupCallback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Resolves a name like `dns.lookup`, and fails when any of its addresses is not public. The connection is then made to
 * the very addresses that were checked: a name that resolves differently a moment later gains nothing.
 */
export function lookupPublic(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const inside = addresses.find(({ address }) => !isPublicAddress(address));
    if (inside || addresses.length === 0) return callback(refusal(hostname), []);
    if (options.all) return callback(null, addresses);
    callback(null, addresses[0]!.address, addresses[0]!.family);
  });
}

/** Throws unless the host is a name, which `lookupPublic` checks, or a public address. */
export function requirePublicHost(hostname: string): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(address) && !isPublicAddress(address)) throw refusal(hostname);
}

function refusal(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} is not a public address.`), { code: 'EACCES' });
}
