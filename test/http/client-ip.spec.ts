import { describe, expect, it } from 'vitest';
import { type AddressedRequest, ClientIp, normalizeIp, type TrustedProxy } from '../../src/http/request/client-ip.js';

const clientIp = (request: AddressedRequest, proxy: TrustedProxy) => new ClientIp(() => proxy).of(request);
const from = (rawHeaders: string[], remoteAddress: string | undefined = '10.9.9.9') => ({
  rawHeaders,
  socket: { remoteAddress },
});
const trusting = (...headers: string[]) => ({ headers, useLeftmostIP: false });
const leftmost = (...headers: string[]) => ({ headers, useLeftmostIP: true });

describe('the real IP of a request', () => {
  it('OPS-31 is the address of the socket when no header is trusted', () => {
    expect(clientIp(from(['X-Forwarded-For', '1.2.3.4']), trusting())).toBe('10.9.9.9');
    expect(clientIp({ rawHeaders: [], socket: {} }, trusting())).toBe('');
  });

  it('OPS-31 is that of each of several sockets in turn', () => {
    const ips = new ClientIp(() => trusting());
    const addresses = ['1.1.1.1', '1.1.1.1', '::1', '2.2.2.2', 'nonsense', '1.1.1.1'];
    const local = '0000:0000:0000:0000:0000:0000:0000:0001';
    expect(addresses.map((each) => ips.of(from([], each)))).toEqual([
      '1.1.1.1',
      '1.1.1.1',
      local,
      '2.2.2.2',
      '',
      '1.1.1.1',
    ]);
  });

  it('OPS-31 takes the last line of a header, so that a line sent by the client in front of it counts nothing', () => {
    const request = from(['X-Forwarded-For', '6.6.6.6', 'Accept', '*/*', 'x-forwarded-for', '1.2.3.4, 5.6.7.8']);
    expect(clientIp(request, trusting('X-Forwarded-For'))).toBe('5.6.7.8');
    expect(clientIp(request, leftmost('X-Forwarded-For'))).toBe('1.2.3.4');
  });

  it('OPS-31 passes over entries that are no address, those with a port among them', () => {
    const request = from(['X-Forwarded-For', 'unknown, 1.1.1.1 ,2.2.2.2:443,[::1]:80, 01.2.3.4, 1.2.3, 0x7f.1, ']);
    expect(clientIp(request, trusting('x-forwarded-for'))).toBe('1.1.1.1');
    expect(clientIp(request, leftmost('x-forwarded-for'))).toBe('1.1.1.1');
  });

  it('OPS-31 asks the headers in the order of the settings and falls back to the next and to the socket', () => {
    const request = from(['X-Real-IP', 'nonsense', 'CF-Connecting-IP', '3.3.3.3', 'Fly-Client-IP', '4.4.4.4']);
    expect(clientIp(request, trusting('X-Real-IP', 'Fly-Client-IP', 'CF-Connecting-IP'))).toBe('4.4.4.4');
    expect(clientIp(request, trusting('X-Real-IP', 'X-Absent'))).toBe('10.9.9.9');
  });

  it('OPS-31 writes mapped IPv4 as IPv4 and IPv6 in expanded form, from headers and from the socket', () => {
    expect(clientIp(from([], '::ffff:1.2.3.4'), trusting())).toBe('1.2.3.4');
    expect(clientIp(from([], '::1'), trusting())).toBe('0000:0000:0000:0000:0000:0000:0000:0001');
    expect(clientIp(from(['F', '2001:DB8::a']), trusting('f'))).toBe('2001:0db8:0000:0000:0000:0000:0000:000a');
    expect(normalizeIp('::ffff:102:304')).toBe('1.2.3.4');
    expect(normalizeIp('fe80::1%eth0')).toBe('fe80:0000:0000:0000:0000:0000:0000:0001%eth0');
    expect(normalizeIp('[::1]')).toBeUndefined();
    expect(normalizeIp('')).toBeUndefined();
  });
});
