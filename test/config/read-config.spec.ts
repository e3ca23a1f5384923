import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read-config.js';
import { StartError } from '../../src/config/start.error.js';
import { UsageError } from '../../src/config/usage.error.js';

const cwd = mkdtempSync(join(tmpdir(), 'roost-config-'));
const read = (argv: string[], env: Record<string, string> = {}, dir = cwd) => readConfig({ argv, env, cwd: dir });

describe('the start-up configuration', () => {
  it.each([
    [['serve', '--http=nonsense']],
    [['serve', '--http=1.2.3.4:99999']],
    [['serve', '--dev=maybe']],
    [['serve', '--queryTimeout=soon']],
    [['serve', '--dir']],
    [['serve', '--dir=']],
    [['serve', '--http=']],
    [['--http=:1', 'superuser', 'create']],
    [['serve', '--https=:443']],
    [['serve', '--tlsCert=cert.pem']],
    [['serve', '--tlsKey=key.pem']],
  ])('OPS-161 refuses %j', (argv) => {
    expect(() => read(argv)).toThrow(UsageError);
  });

  it('OPS-161 accepts both forms of a flag, before and after the command', () => {
    const { config, args } = read(['--dir=data', 'serve', '--http', ':3000', '--dev']);
    expect(config).toMatchObject({ dir: join(cwd, 'data'), http: ':3000', dev: true, automigrate: true });
    expect(args).toEqual(['serve']);
  });

  it('OPS-37 OPS-161 takes a time that no timer can wait for as the longest one that it can', () => {
    const env = { ROOST_SHUTDOWN_TIMEOUT: '99999999' };
    const { config } = read(['serve', '--bodyTimeout=99999999', '--queryTimeout=2147483'], env);
    expect(config).toMatchObject({ bodyTimeout: 2147483.647, queryTimeout: 2147483, shutdownTimeout: 2147483.647 });
  });

  it('OPS-161 leaves what it does not know to the command', () => {
    expect(read(['serve', '--unknown=1']).args).toEqual(['serve', '--unknown=1']);
  });

  it('OPS-162 prefers a flag to the environment, the environment to .env, and .env to the default', () => {
    const dir = mkdtempSync(join(tmpdir(), 'roost-config-'));
    expect(read(['serve'], {}, dir).config.http).toBe('127.0.0.1:8090');
    writeFileSync(join(dir, '.env'), 'ROOST_HTTP=:1\nROOST_DEV=1\n');
    expect(read(['serve'], {}, dir).config).toMatchObject({ http: ':1', dev: true });
    expect(read(['serve'], { ROOST_HTTP: ':2' }, dir).config.http).toBe(':2');
    expect(read(['serve', '--http=:3'], { ROOST_HTTP: ':2' }, dir).config.http).toBe(':3');
  });

  it('OPS-162 has the documented defaults', () => {
    expect(read(['serve']).config).toMatchObject({
      dir: join(cwd, 'roost_data'),
      dev: false,
      origins: ['*'],
      publicDir: join(cwd, 'public'),
      indexFallback: true,
      migrationsDir: join(cwd, 'roost_migrations'),
      automigrate: false,
      queryTimeout: 30,
      bodyTimeout: 300,
      databaseDriver: 'better-sqlite3',
      shutdownTimeout: 10,
    });
    expect(() => read([], { DATABASE_DRIVER: 'postgres' })).toThrow(UsageError);
  });

  it('SCALE-20 takes an address of Redis, and says nothing of it when it is none', () => {
    const url = 'rediss://ann:secret@redis.test:6380/3';
    expect(read(['serve'], { REDIS_URL: url, REDIS_PREFIX: 'shop-1' }).config).toMatchObject({
      redisUrl: url,
      redisPrefix: 'shop-1',
    });
    expect(read(['serve'], { REDIS_URL: '' }).config).toMatchObject({ redisUrl: null, redisPrefix: 'roost' });
    const wrong = [
      'secret',
      'http://secret@redis.test',
      'redis://',
      'redis://u:secret@redis.test/zero',
      'redis:secret',
    ];
    for (const REDIS_URL of wrong) {
      expect(() => read(['serve'], { REDIS_URL })).toThrow(/^REDIS_URL is not an address redis:\/\/host:port\.$/);
    }
    expect(() => read(['serve'], { REDIS_PREFIX: 'a:*' })).toThrow(UsageError);
  });

  it('SCALE-20 shares a PostgreSQL database and no data directory', () => {
    expect(read(['serve', '--shared'], { DATABASE_URL: 'postgres://db.test/roost' }).config.shared).toBe(true);
    expect(() => read(['serve', '--shared'])).toThrow('--shared needs DATABASE_URL');
    expect(() => read(['serve'], { ROOST_SHARED: 'yes' })).toThrow('--shared needs DATABASE_URL');
  });

  it('OPS-186 knows whether the folder of migrations was named, also by its usual name', () => {
    expect(read(['migrate']).config.migrationsDirGiven).toBe(false);
    expect(read(['migrate', '--migrationsDir=roost_migrations']).config).toMatchObject({
      migrationsDir: join(cwd, 'roost_migrations'),
      migrationsDirGiven: true,
    });
  });

  it('OPS-10 demands a key of exactly 32 bytes', () => {
    const key = '0123456789abcdef0123456789abcdef';
    expect(read(['serve', '--encryptionEnv=KEY'], { KEY: key }).config.encryptionKey).toBe(key);
    expect(() => read(['serve', '--encryptionEnv=KEY'], { KEY: 'short' })).toThrow(StartError);
    expect(() => read(['serve', '--encryptionEnv=KEY'])).toThrow(StartError);
  });
});
