import { describe, expect, it } from 'vitest';
import { isUrl, urlHost } from './web-address.js';

describe('URLs', () => {
  it.each([
    'http://example.com',
    'https://example.com/',
    'HTTPS://EXAMPLE.COM',
    'ftp://example.com/file.txt',
    'ws://example.com',
    'wss://example.com:8443/socket',
    'tcp://example.com:5432',
    'udp://10.0.0.1:53',
    'example.com',
    'example.com/path?a=b#c',
    'www.example.com:8080',
    'http://localhost:8090',
    'http://intranet/page',
    'http://127.0.0.1',
    'http://[::1]:8090/x',
    'http://[2001:db8::1]',
    'https://user:pass@example.com/x@y',
    'https://user@example.com',
    'http://münchen.de/straße',
    'http://foo_bar.example.com',
    'http://example.com?x=1',
    'http://example.com#top',
    'a.bc',
    `http://example.com/${'x'.repeat(2082 - 19)}`,
  ])('COL-67 %s is one', (text) => {
    expect(isUrl(text)).toBe(true);
  });

  it.each([
    '',
    'abc',
    'a.b',
    'localhost',
    'localhost:8090',
    'word/path',
    'javascript:alert(1)',
    'javascript://example.com',
    'data:text/html,x.y',
    'mailto:a@b.c',
    'ann@example.com',
    'javascript:alert(1)@example.com',
    'file:///etc/passwd.txt',
    'http://',
    'http:///path.x',
    '//example.com',
    '/path.x',
    'http://exa mple.com',
    'http://example.com/a b',
    ' http://example.com',
    'http://example.com\n',
    'http://example.com/\u0000',
    'http://-example.com',
    'http://example-.com',
    'http://example..com',
    'http://256.1.1.1',
    'http://1.2.3',
    'http://[::1',
    'http://[zz]',
    'http://[1.2.3.4]',
    'http://example.com:99999',
    'http://example.com:port',
    'http://example.com:',
    `http://example.com/${'x'.repeat(2083 - 19)}`,
  ])('COL-67 %j is none', (text) => {
    expect(isUrl(text)).toBe(false);
  });

  it('COL-67 the host has its port, no user info, and is lower-cased; without a scheme there is none', () => {
    expect(urlHost('https://user:pass@Example.com:8080/x')).toBe('example.com:8080');
    expect(urlHost('https://example.com')).toBe('example.com');
    expect(urlHost('http://[::1]:90')).toBe('[::1]:90');
    expect(urlHost('example.com')).toBe('');
  });
});
