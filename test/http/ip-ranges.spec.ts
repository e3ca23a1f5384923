import { describe, expect, it } from 'vitest';
import { IpRanges, isIpOrSubnet } from '../../src/http/ip-ranges.js';

describe('lists of addresses and subnets', () => {
  it('OPS-5 tells an address or subnet from anything else', () => {
    for (const entry of ['1.2.3.4', '10.0.0.0/8', '10.1.2.3/32', '::1', '2001:db8::/32', '0.0.0.0/0', '::/0']) {
      expect(isIpOrSubnet(entry), entry).toBe(true);
    }
    for (const entry of [
      '',
      'localhost',
      '1.2.3',
      '1.2.3.4/33',
      '::/129',
      '1.2.3.4/',
      '/8',
      '1.2.3.4/8/8',
      '1.2.3.4/-1',
    ]) {
      expect(isIpOrSubnet(entry), entry).toBe(false);
    }
  });

  it('contains its addresses and what lies in its subnets, in either spelling', () => {
    const ranges = new IpRanges(['10.1.0.0/16', '1.2.3.4', '2001:db8::/32', 'nonsense']);
    for (const ip of ['10.1.255.1', '1.2.3.4', '::ffff:1.2.3.4', '2001:0db8:0000:0000:0000:0000:0000:0001']) {
      expect(ranges.includes(ip), ip).toBe(true);
    }
    for (const ip of ['10.2.0.1', '1.2.3.5', '2001:db9::1', '', 'nonsense'])
      expect(ranges.includes(ip), ip).toBe(false);
  });

  it('contains nothing when it is empty', () => {
    expect(new IpRanges([]).isEmpty).toBe(true);
    expect(new IpRanges([]).includes('1.2.3.4')).toBe(false);
  });
});
