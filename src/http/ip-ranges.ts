import { BlockList, isIP } from 'node:net';

const SUBNET = /^([^/]+)\/(\d{1,3})$/;

/** A set of addresses and CIDR subnets, as `superuserIPs` and `rateLimits.excludedIPs` list them. Immutable. */
export class IpRanges {
  private readonly list = new BlockList();
  /** True when nothing is listed, so that nothing can match. */
  readonly isEmpty: boolean;

  /** Entries that are neither an address nor a subnet match nothing; `isIpOrSubnet` tells them apart. */
  constructor(entries: readonly string[]) {
    const valid = entries.map(parseEntry).filter((entry) => entry !== undefined);
    for (const { address, family, prefix } of valid) this.list.addSubnet(address, prefix, family);
    this.isEmpty = valid.length === 0;
  }

  /** True when the address is listed or lies in a listed subnet. IPv4 and its mapped IPv6 form are the same. */
  includes(ip: string): boolean {
    if (this.isEmpty) return false;
    const version = isIP(ip);
    return version !== 0 && this.list.check(ip, version === 4 ? 'ipv4' : 'ipv6');
  }
}

/** True for an IPv4 or IPv6 address and for a CIDR subnet such as `10.0.0.0/8`. */
export function isIpOrSubnet(entry: string): boolean {
  return parseEntry(entry) !== undefined;
}

function parseEntry(entry: string): { address: string; family: 'ipv4' | 'ipv6'; prefix: number } | undefined {
  const [, address, bits] = SUBNET.exec(entry) ?? [undefined, entry, undefined];
  const version = isIP(address);
  if (version === 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  return prefix > longest ? undefined : { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix };
}
