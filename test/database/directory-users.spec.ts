import fs from 'node:fs';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DataDirectory } from '../../src/database/data-directory.js';
import { DirectoryUsers } from '../../src/database/directory-users.js';
import type { SqliteDriver } from '../../src/database/sqlite/sqlite-driver.js';
import { sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';

const driver = sqliteDriver('better-sqlite3');
const withoutLocks: SqliteDriver = { ...driver, open: () => Promise.reject(new Error('no locks here')) };
const [RECENT, OLD] = ['p_aaaaaaaaaaaaaaaa.upload-1', 'p_bbbbbbbbbbbbbbbb.upload-2'];

let dir: string;
let users: DirectoryUsers;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-users-'));
});
afterEach(async () => {
  await users.leave();
  await rm(dir, { recursive: true, force: true });
});

/** A directory with what two other processes, of which no lock is known, have left in it. */
async function open(by: SqliteDriver, unsafeNoLock = false): Promise<DataDirectory> {
  users = new DirectoryUsers(dir, by, { unsafeNoLock });
  const directory = new DataDirectory(dir, { holdsData: false, users });
  await directory.emptyTemp().catch(() => undefined);
  for (const name of [RECENT, OLD, 'upload-of-nobody']) await writeFile(join(directory.temp, name), 'x');
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
  await utimes(join(directory.temp, OLD), twoDaysAgo, twoDaysAgo);
  return directory;
}

it('FS-22 SCALE-26 removes at once what processes have left that hold no lock', async () => {
  const directory = await open(driver);
  await users.enter(() => directory.emptyTemp());
  expect(await readdir(directory.temp)).toEqual([]);
});

it.runIf(process.platform === 'linux')(
  'FS-22 SCALE-26 on a network file system, whose locks another machine may not see, after a day',
  async () => {
    const { statfs } = fs.promises;
    fs.promises.statfs = (async () => ({ type: 0x6969 })) as unknown as typeof statfs;
    syncBuiltinESMExports();
    try {
      const directory = await open(driver);
      await users.enter(() => directory.emptyTemp());
      expect(await readdir(directory.temp)).toEqual([RECENT]);
    } finally {
      fs.promises.statfs = statfs;
      syncBuiltinESMExports();
    }
  },
);

it('OPS-177 SCALE-26 works where nothing can be locked, but lets nobody have the directory for itself', async () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const directory = await open(withoutLocks);
  await users.enter(() => directory.emptyTemp());
  expect(warn.mock.calls.map(([line]) => line as string)).toEqual([expect.stringContaining('no locks here')]);
  expect(await readdir(directory.temp)).toEqual([RECENT]);
  await expect(users.keepOut()).rejects.toThrow(`${dir} cannot be locked against other instances`);
  await open(withoutLocks, true);
  await users.enter();
  await (await users.keepOut()).release();
  warn.mockRestore();
});
