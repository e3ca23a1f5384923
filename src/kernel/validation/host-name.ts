import ipaddr from 'ipaddr.js';

const LABEL = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}])?$/u;
const DIGITS = /^\d+$/;

/** Of an IPv6 address that ends like an IPv4 one. */
const LONGEST_IP_ADDRESS = 45;

/** True for a host name of one or more labels, international ones included. An IPv4 address is not one. */
export function isHostName(text: string): boolean {
  if (text.length === 0 || text.length > 253) return false;
  const labels = text.split('.');
  return labels.every((label) => label.length <= 63 && LABEL.test(label)) && !DIGITS.test(labels.at(-1)!);
}

/** True for a host name of at least two labels, such as `example.com`. */
export function isDomain(text: string): boolean {
  return text.includes('.') && !text.includes('_') && isHostName(text);
}

/** True for an IPv4 address of four decimal parts, or an IPv6 address without zone. */
export function isIpAddress(text: string): boolean {
  if (text.length > LONGEST_IP_ADDRESS) return false;
  return ipaddr.IPv4.isValidFourPartDecimal(text) || isIpv6Address(text);
}

/** True for an IPv6 address without zone and without brackets. */
export function isIpv6Address(text: string): boolean {
  return text.length <= LONGEST_IP_ADDRESS && !text.includes('%') && ipaddr.IPv6.isValid(text);
}

/** True for an address range such as `10.0.0.0/8`. */
export function isSubnet(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(bits) || !isIpAddress(address)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}
