import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { Database } from '../../src/database/database.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { entriesOf } from '../backups/support/archives.js';
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

it('OPS-10 secrets are nowhere in the files, whatever brought them: a change with another name, an import, a backup', async () => {
  await withKey(KEY, async (roost) => {
    const token = await roost.createSuperuser();
    const send = async (method: 'PATCH' | 'POST' | 'PUT', url: string, body: object) => {
      const { status, text } = await roost.inject({ method, url: `/api/${url}`, token, body });
      expect([url, status], text).toEqual([url, expect.toBeOneOf([200, 204])]);
    };
    const secretOf = (name: string) => `planted-in-${name}-`.padEnd(50, 'x');
    const of = (name: string) => ({
      authToken: { duration: 1000, secret: secretOf(name) },
      oauth2: {
        enabled: true,
        providers: [{ name: 'google', clientId: 'id', clientSecret: secretOf(`${name}-client`) }],
      },
    });
    await send('PATCH', 'collections/users', { name: 'people', ...of('change') });
    const people = (await roost.inject({ url: '/api/collections/people', token })).body;
    const imported = { name: 'imported', type: 'auth', fields: [], ...of('import') };
    await send('PUT', 'collections/import', { collections: [{ ...people, ...of('again') }, imported] });
    await send('POST', 'collections', { name: 'made', type: 'auth', ...of('made') });
    await send('PATCH', 'collections/made', { name: 'renamed' });
    await send('POST', 'backups', { name: 'all.zip' });
    const definitions = await stored(roost);
    expect(definitions).not.toContain('planted');
    expect(secretsIn(definitions).filter((secret) => !secret.startsWith('encrypted:'))).toEqual([]);
    const { auth } = roost.app.get(CollectionsService, { strict: false }).get('renamed');
    expect(auth!.authToken.secret).toBe(secretOf('made'));
    for (const file of await filesOf(dir))
      expect([file.name, file.content.includes('planted-in-')]).toEqual([file.name, false]);
  });
});

/** Every file below a directory, and what is in the backup among them. */
async function filesOf(directory: string): Promise<{ name: string; content: Buffer }[]> {
  const found = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = found.map(({ parentPath, name }) => join(parentPath, name));
  const archive = files.find((name) => name.endsWith('all.zip'))!;
  const packed = [...(await entriesOf(archive))].map(([name, content]) => ({ name: `backup/${name}`, content }));
  expect(packed.map(({ name }) => name)).toContain('backup/data.db');
  return [...files.map((name) => ({ name, content: readFileSync(name) })), ...packed];
}
