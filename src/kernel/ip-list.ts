import ipaddr from 'ipaddr.js';

type Entry = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** A list of IP addresses and CIDR subnets, parsed once per list object. */
export class IpList {
  private static readonly parsed = new WeakMap<readonly string[], IpList>();

  private constructor(private readonly entries: readonly Entry[]) {}

  static of(texts: readonly string[]): IpList {
    let list = IpList.parsed.get(texts);
    if (!list) {
      list = new IpList(texts.flatMap((text) => toEntry(text)));
      IpList.parsed.set(texts, list);
    }
    return list;
  }

  /** True when the address is in the list. An invalid address is in no list. */
  has(ip: string): boolean {
    if (!ipaddr.isValid(ip)) return false;
    const address = ipaddr.process(ip);
    return this.entries.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  }
}

function toEntry(text: string): Entry[] {
  try {
    if (text.includes('/')) return [unmapped(ipaddr.parseCIDR(text))];
    const address = ipaddr.process(text);
    return [[address, address.kind() === 'ipv4' ? 32 : 128]];
  } catch {
    return [];
  }
}

/** A subnet of IPv4-mapped addresses is one of IPv4: that is what a mapped address counts as (OPS-31). */
function unmapped([network, bits]: Entry): Entry {
  const isMapped = network instanceof ipaddr.IPv6 && bits >= 96 && network.isIPv4MappedAddress();
  return isMapped ? [network.toIPv4Address(), bits - 96] : [network, bits];
}
