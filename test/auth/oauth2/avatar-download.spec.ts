import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LookupAddress } from 'node:dns';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AvatarDownloader } from '../../../src/auth/oauth2/avatar-downloader.js';
import { isPublicAddress, lookupPublic, requirePublicHost } from '../../../src/auth/oauth2/public-address.js';
import type { RoostConfig } from '../../../src/config/roost-config.js';
import { closeServer } from '../support/close-server.js';

const PICTURE = Buffer.from('a picture, more or less');

describe('downloading an avatar', () => {
  let server: Server;
  let url: string;
  let hits: string[];
  const strict = new AvatarDownloader({ allowPrivateFetch: false } as RoostConfig);
  const open = new AvatarDownloader({ allowPrivateFetch: true } as RoostConfig);

  beforeEach(async () => {
    hits = [];
    server = createServer((request, response) => {
      hits.push(request.url!);
      const redirects = /^\/redirect\/(\d+)/.exec(request.url!);
      const target = new URL(request.url!, url).searchParams.get('to');
      if (target) response.writeHead(302, { location: target }).end();
      else if (redirects) response.writeHead(302, { location: next(Number(redirects[1])) }).end();
      else if (request.url === '/missing') response.writeHead(404).end(PICTURE);
      else response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await closeServer(server);
  });

  it('AUTH-908 AUTH-1008 reaches private addresses only when the test switch says so', async () => {
    expect(await open.download(`${url}/a.png`, 100)).toEqual(PICTURE);
    const port = new URL(url).port;
    hits = [];
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0', '127.1'];
    for (const host of hosts) {
      await expect(strict.download(`http://${host}:${port}/a.png`, 100)).rejects.toThrow('not a public address');
    }
    expect(hits).toEqual([]);
  });

  it('AUTH-908 follows five redirects and not six', async () => {
    expect(await open.download(`${url}/redirect/5`, 100)).toEqual(PICTURE);
    await expect(open.download(`${url}/redirect/6`, 100)).rejects.toThrow('302');
  });

  it('AUTH-908 loads over http and https only, also after a redirect', async () => {
    for (const address of ['file:///etc/hostname', 'ftp://example.com/a.png', 'data:image/png;base64,AAAA']) {
      await expect(open.download(address, 100)).rejects.toThrow();
      await expect(open.download(`${url}/?to=${encodeURIComponent(address)}`, 100)).rejects.toThrow();
    }
    await expect(open.download('no address', 100)).rejects.toThrow();
  });

  it('AUTH-908 stops at the size the field takes, and takes no picture of another status', async () => {
    expect(await open.download(`${url}/a.png`, PICTURE.length)).toEqual(PICTURE);
    await expect(open.download(`${url}/a.png`, PICTURE.length - 1)).rejects.toThrow('bytes');
    await expect(open.download(`${url}/missing`, 100)).rejects.toThrow('404');
  });

  it('AUTH-908 tells public addresses from all that lead inside', () => {
    const inside =
      '127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 0.0.0.0 100.64.0.1 ' +
      '224.0.0.1 255.255.255.255 240.0.0.1 192.0.2.1 198.18.0.1 ::1 :: fe80::1 fc00::1 fd12::1 ff02::1 ' +
      '::127.0.0.1 ::8.8.8.8 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b:1::1 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1';
    for (const address of [...inside.split(' '), '', 'example.com', '1.2.3.4.5']) {
      expect([address, isPublicAddress(address)]).toEqual([address, false]);
    }
    for (const address of '8.8.8.8 1.1.1.1 172.32.0.1 2606:4700::1111 ::ffff:8.8.8.8'.split(' ')) {
      expect([address, isPublicAddress(address)]).toEqual([address, true]);
    }
  });

  it('AUTH-908 checks what a name resolves to when the connection is made', async () => {
    for (const all of [true, false]) {
      const answer = await new Promise<[unknown, string | LookupAddress[]]>((resolve) => {
        lookupPublic('localhost', { all }, (error, addresses) => resolve([error, addresses]));
      });
      expect(answer[0]).toMatchObject({ code: 'EACCES' });
      expect(answer[1]).toEqual([]);
    }
    expect(() => requirePublicHost('[::1]')).toThrow();
    expect(() => requirePublicHost('192.168.0.1')).toThrow();
    expect(() => requirePublicHost('example.com')).not.toThrow();
  });
});

function next(left: number): string {
  return left > 1 ? `/redirect/${left - 1}` : '/a.png';
}
