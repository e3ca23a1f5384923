import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import { decryptText, encryptText } from '../../src/kernel/text-cipher.js';
import { startRoost } from '../support/roost.js';

const KEY = '0123456789abcdef0123456789abcdef';
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-encryption-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function withKey<T>(key: string | undefined, work: (stored: string, settings: SettingsService) => T): Promise<T> {
  const roost = await startRoost({
    dir,
    ...(key !== undefined && { config: { ROOST_ENCRYPTION_ENV: 'KEY' }, env: { KEY: key } }),
  });
  try {
    const sql = `SELECT "value" FROM "_params" WHERE "id" = 'settings'`;
    const row = await roost.app.get(Database, { strict: false }).get<{ value: string }>({ sql, params: [] });
    return await work(row!.value, roost.app.get(SettingsService, { strict: false }));
  } finally {
    await roost.close();
  }
}

it('OPS-10 the row is base64 of nonce, ciphertext and tag', async () => {
  await withKey(KEY, (_stored, settings) => settings.patch({ meta: { appName: 'Hidden' } }));
  await withKey(KEY, (stored, settings) => {
    expect(stored).toMatch(/^[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(stored, 'base64').toString('latin1')).not.toContain('Hidden');
    expect(JSON.parse(decryptText(stored, KEY)).meta.appName).toBe('Hidden');
    expect(settings.get().meta.appName).toBe('Hidden');
  });
});

it('OPS-10 the same settings are never stored as the same text', () => {
  const stored = [encryptText('{}', KEY), encryptText('{}', KEY)].map((text) => Buffer.from(text, 'base64'));
  expect(stored[0]!.subarray(0, 12).equals(stored[1]!.subarray(0, 12))).toBe(false);
  expect(stored[0]!.subarray(12).equals(stored[1]!.subarray(12))).toBe(false);
});

it('OPS-11 a plain row is read and encrypted at the next save', async () => {
  await withKey(undefined, (_stored, settings) => settings.patch({ meta: { appName: 'Plain' } }));
  await withKey(KEY, async (stored, settings) => {
    expect(stored.startsWith('{')).toBe(true);
    expect(settings.get().meta.appName).toBe('Plain');
    await settings.patch({ meta: { hideControls: true } });
  });
  await withKey(KEY, (stored) => expect(stored.startsWith('{')).toBe(false));
});

it.each([
  ['without the key', undefined],
  ['with another one', 'f'.repeat(32)],
])('OPS-11 an encrypted row %s stops the start and names the flag', async (_name, key) => {
  await withKey(KEY, (_stored, settings) => settings.patch({ meta: { appName: 'Hidden' } }));
  await expect(withKey(key, () => undefined)).rejects.toThrow('--encryptionEnv');
});

it.each(['short', 'é'.repeat(32), ''])('OPS-10 a key of the wrong length stops the start', async (key) => {
  await expect(withKey(key, () => undefined)).rejects.toThrow('32');
});
