import { Logger } from '@nestjs/common';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StartError } from '../../src/config/start.error.js';
import { RedisLink } from '../../src/instances/redis-link.js';
import { freePort } from '../support/free-port.js';
import { Redis } from '../support/redis.js';

const RIGHTS = ['+get', '+set', '+getdel', '+unlink', '+eval', '+evalsha', '+scan', '+incr', '+pttl', '+pexpire'];
const CHANNELS = ['+publish', '+subscribe', '+unsubscribe', '+ping'];

describe('the connection to Redis', () => {
  let redis: Redis;
  let links: RedisLink[] = [];
  beforeEach(() => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    vi.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  });
  afterEach(() => {
    for (const link of links) link.close();
    links = [];
    vi.restoreAllMocks();
  });
  beforeAll(async () => {
    const user = ['--user', 'able', 'on', '>secret', '~roost:*', '&roost:*', '-@all', ...RIGHTS, ...CHANNELS];
    const reader = ['--user', 'reader', 'on', '>secret', '~roost:*', '&roost:*', '-@all', '+get', '+ping'];
    const elsewhere = ['--user', 'elsewhere', 'on', '>secret', '~other:*', '&other:*', '+@all'];
    redis = await Redis.start(undefined, [...user, ...reader, ...elsewhere]);
  });
  afterAll(() => redis.stop());

  const linkTo = (url: string) => {
    const link = new RedisLink(url, 'roost');
    links.push(link);
    return link;
  };
  const as = (user: string) => `redis://${user}@127.0.0.1:${redis.port}`;
  const failure = async (url: string): Promise<string> => {
    const error: unknown = await linkTo(url)
      .open()
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(error).toBeInstanceOf(StartError);
    const { message } = error as Error;
    expect(message).not.toMatch(/secret|\n/);
    return message;
  };

  it('SCALE-20 does with few rights, which are those that the docs name', async () => {
    const link = linkTo(as('able:secret'));
    await link.open();
    expect(link.isUp).toBe(true);
    await link.open();
  });

  it('SCALE-20 says in one line what is wrong with it', async () => {
    expect(await failure(`redis://127.0.0.1:${await freePort()}`)).toMatch(
      /127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/,
    );
    expect(await failure(as('able:wrong-secret'))).toContain('refuses the user or the password');
    expect(await failure(as('nobody:secret'))).toContain('refuses the user or the password');
    expect(await failure(as('reader:secret'))).toContain('the user may not do what is needed');
    expect(await failure(as('elsewhere:secret'))).toContain('the user may not do what is needed');
    expect(await failure(`${redis.url}/4711`)).toContain('no database of that number');
    expect(await failure(redis.url.replace('redis:', 'rediss:'))).toMatch(/TLS|does not answer|ended the connection/);
  });

  it('SCALE-20 refuses a cluster and a replica', async () => {
    const cluster = await Redis.start(undefined, ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf']);
    const replica = await Redis.start(undefined, ['--replicaof', '127.0.0.1', String(redis.port)]);
    try {
      expect(await failure(cluster.url)).toContain('it is a cluster');
      expect(await failure(replica.url)).toContain('it is a replica');
    } finally {
      await cluster.stop();
      await replica.stop();
    }
  });

  it('SCALE-20 does not wait for ever for somebody who says nothing', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    expect(await failure(`redis://127.0.0.1:${port}`)).toContain('it does not answer in time');
    silent.close();
  });

  it('SCALE-20 speaks TLS, to a server whose certificate is trusted', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'roost-tls-'));
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', cert];
    execFileSync('openssl', ['req', ...made, ...subject], { stdio: 'pipe' });
    const port = await freePort();
    const files = [
      '--tls-cert-file',
      cert,
      '--tls-key-file',
      key,
      '--tls-ca-cert-file',
      cert,
      '--tls-auth-clients',
      'no',
    ];
    const secure = await Redis.start(undefined, ['--tls-port', String(port), ...files]);
    const url = `rediss://127.0.0.1:${port}`;
    try {
      expect(await failure(url)).toMatch(/self-signed certificate/);
      expect(await failure(`redis://127.0.0.1:${port}`)).toMatch(/TLS/);
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      const link = linkTo(url);
      await link.open();
      expect(await link.run('PING')).toBe('PONG');
    } finally {
      vi.unstubAllEnvs();
      await secure.stop();
      rmSync(dir, { recursive: true });
    }
  });

  describe('to a server that comes and goes', () => {
    let fragile: Redis;
    let link: RedisLink;
    let told: string[];
    beforeEach(async () => {
      fragile = await Redis.start();
      link = linkTo(fragile.url);
      told = [];
      link.onLost(() => told.push('lost'));
      link.onBack(() => told.push('back'));
      await link.subscribe('news', (message) => void told.push(message));
      await link.open();
      await link.subscribe('more', (message) => void told.push(`more ${message}`));
    });
    afterEach(() => fragile.stop());

    it('SCALE-21 hears what is published, everywhere and before and after it was gone', async () => {
      const other = linkTo(fragile.url);
      await other.open();
      await other.publish('news', 'one');
      await link.publish('more', 'two');
      await expect.poll(() => told).toEqual(['one', 'more two']);
      await fragile.crash();
      await expect.poll(() => told).toEqual(['one', 'more two', 'lost']);
      await expect(link.run('PING')).rejects.toThrow('cannot be reached');
      expect(link.isUp).toBe(false);
      await fragile.restart();
      await expect.poll(() => told, { timeout: 10_000 }).toEqual(['one', 'more two', 'lost', 'back']);
      await expect.poll(() => other.isUp, { timeout: 10_000 }).toBe(true);
      await other.publish('news', 'three');
      await other.publish('more', 'four');
      await expect.poll(() => told.slice(4)).toEqual(['three', 'more four']);
    });

    it('SCALE-24 scripts go on after a server has forgotten them', async () => {
      const script = { text: 'return 7', sha1: 'ec6de8c25d11a7e2a0ac3dc0b9e1d27bdb8ae2b4' };
      expect(await link.runScript(script, 'roost:key')).toBe(7);
      await link.run('SCRIPT', 'FLUSH');
      expect(await link.runScript(script, 'roost:key')).toBe(7);
    });

    it('SCALE-21 a server that says nothing any more is lost, whether it is asked something or not', async () => {
      const idle = linkTo(fragile.url);
      await idle.open();
      fragile.freeze();
      await expect(link.run('GET', 'roost:key')).rejects.toThrow();
      expect(told).toEqual(['lost']);
      await expect.poll(() => idle.isUp, { timeout: 10_000 }).toBe(false);
      fragile.thaw();
      await expect.poll(() => [link.isUp, idle.isUp], { timeout: 10_000 }).toEqual([true, true]);
      expect(told).toEqual(['lost', 'back']);
    });

    it('SCALE-21 a closed one stays closed', async () => {
      link.close();
      await expect(link.run('PING')).rejects.toThrow('cannot be reached');
      expect(told).toEqual([]);
    });
  });
});
