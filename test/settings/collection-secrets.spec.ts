import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { Database } from '../../src/database/database.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const KEY = '0123456789abcdef0123456789abcdef';
const CLIENT_SECRET = 'a secret of the provider';
const PASSWORD = 'correct horse';
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-secrets-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function withKey<T>(key: string | undefined, work: (roost: TestRoost) => Promise<T>): Promise<T> {
  const config = { ROOST_ENCRYPTION_ENV: 'KEY' };
  const roost = await startRoost({ dir, ...(key !== undefined && { config, env: { KEY: key } }) });
  try {
    return await work(roost);
  } finally {
    await roost.close();
  }
}

async function stored(roost: TestRoost): Promise<string> {
  const sql = `SELECT "options" FROM "_collections"`;
  const rows = await roost.app.get(Database, { strict: false }).all<{ options: string }>({ sql, params: [] });
  return rows.map(({ options }) => options).join('\n');
}

function secretsIn(options: string): string[] {
  return [...options.matchAll(/"(?:secret|clientSecret)":"([^"]+)"/g)].map(([, secret]) => secret!);
}

const oauth2 = { enabled: true, providers: [{ name: 'google', clientId: 'id', clientSecret: CLIENT_SECRET }] };

async function addProvider(roost: TestRoost): Promise<void> {
  await roost.app.get(CollectionsService, { strict: false }).update('users', { oauth2 });
}

it('OPS-10 the secrets of tokens and of OAuth2 clients are stored encrypted, and mean the same', async () => {
  const token = await withKey(KEY, async (roost) => {
    await addProvider(roost);
    await roost.app.get(RecordsService, { strict: false }).create('users', { email: 'ann@x.io', password: PASSWORD });
    const secrets = secretsIn(await stored(roost));
    expect(secrets.length).toBeGreaterThan(10);
    expect(secrets.filter((secret) => !secret.startsWith('encrypted:'))).toEqual([]);
    return roost.signIn('users', 'ann@x.io');
  });
  await withKey(KEY, async (roost) => {
    const refreshed = await roost.inject({ method: 'POST', url: '/api/collections/users/auth-refresh', token });
    expect(refreshed.status).toBe(200);
    const users = roost.app.get(CollectionsService, { strict: false });
    expect(JSON.stringify(users.get('users').auth)).not.toContain('encrypted:');
  });
});

it('OPS-11 secrets that are stored plain are encrypted by the first start with a key', async () => {
  await withKey(undefined, async (roost) => {
    await addProvider(roost);
    expect(await stored(roost)).toContain(CLIENT_SECRET);
  });
  await withKey(KEY, async (roost) => {
    expect(await stored(roost)).not.toContain(CLIENT_SECRET);
    const { providers } = roost.app.get(CollectionsService, { strict: false }).get('users').auth!.oauth2;
    expect(providers[0]!.clientSecret).toBe(CLIENT_SECRET);
  });
});

it.each([
  ['without the key', undefined],
  ['with another one', 'f'.repeat(32)],
])('OPS-10 encrypted secrets keep Roost from starting %s', async (_, key) => {
  await withKey(KEY, addProvider);
  await withKey(KEY, (roost) => {
    const sql = `DELETE FROM "_params" WHERE "id" = 'settings'`;
    return roost.app.get(Database, { strict: false }).run({ sql, params: [], writes: ['_params'] });
  });
  await expect(withKey(key, addProvider)).rejects.toThrow(/secrets of the collection .*--encryptionEnv/);
});
