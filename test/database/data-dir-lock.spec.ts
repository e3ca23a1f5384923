import fs from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DataDirectory } from '../../src/database/data-directory.js';
import { DataDirectoryError } from '../../src/database/data-directory.error.js';
import { Database } from '../../src/database/database.js';
import { DataDirLock } from '../../src/database/sqlite/data-dir-lock.js';
import { SqliteDialect, sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import { SourceProgram, type RunningProgram } from './source-program.js';

let program: SourceProgram;

beforeAll(async () => {
  program = await SourceProgram.compile('busy-instance.ts');
});

afterAll(() => program.remove());

describe.each(['better-sqlite3', 'sqlite3'] as const)('the lock of the data directory, with %s', (driverName) => {
  const driver = sqliteDriver(driverName);
  const running: RunningProgram[] = [];
  const locks: DataDirLock[] = [];
  let parent: string;
  let directory: DataDirectory;

  const newLock = (unsafeNoLock = false): DataDirLock => {
    const lock = new DataDirLock(directory, driver, { unsafeNoLock });
    locks.push(lock);
    return lock;
  };
  const startInstance = async (): Promise<RunningProgram> => {
    const instance = program.start(directory.path, driverName);
    running.push(instance);
    await vi.waitFor(() => expect(instance.stdout).toContain('\n'), { timeout: 20_000, interval: 5 });
    return instance;
  };

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'roost-lock-'));
    directory = new DataDirectory(join(parent, 'deep', 'data'));
  });

  afterEach(async () => {
    for (const instance of running.splice(0)) await instance.kill();
    for (const lock of locks.splice(0)) await lock.release();
    await rm(parent, { recursive: true, force: true });
  });

  it('OPS-172 OPS-174 a second instance is told that the database is locked, and changes nothing', async () => {
    await startInstance();
    const second = program.start(directory.path, driverName);
    running.push(second);
    expect(await second.ended()).toBe(1);
    expect(second.stderr).toContain('database is locked');
    expect(second.stderr).toContain(directory.path);
    expect(second.stdout).toBe('');
    await expect(newLock().acquire()).rejects.toThrow(/database is locked/);
  });

  it('OPS-174 takes the lock before any other file is made', async () => {
    await newLock().acquire();
    expect(await readdir(directory.path)).toEqual(['roost.lock']);
  });

  it('OPS-172 is refused to a second holder in the same process, who takes nothing away', async () => {
    const first = newLock();
    await first.acquire();
    const error = await newLock()
      .acquire()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DataDirectoryError);
    const other = program.start(directory.path, driverName);
    running.push(other);
    expect(await other.ended()).toBe(1);
    await first.release();
    await newLock().acquire();
  });

  it('OPS-197 after kill -9 the next start needs no manual step, and every committed write is there', async () => {
    let confirmed = 0;
    for (let round = 0; round < 3; round++) {
      const instance = await startInstance();
      await new Promise((resolve) => setTimeout(resolve, 20 * round + 7));
      await instance.kill();
      confirmed = Number(instance.stdout.trim().split('\n').at(-1));

      const lock = newLock();
      await lock.acquire();
      const database = new Database(new SqliteDialect({ file: directory.data, driver, queryTimeout: 30 }));
      const sql = "SELECT count(*) AS rows, count(DISTINCT pair) AS pairs, sum(half = 'first') AS firsts FROM pairs";
      const found = await database.get<{ rows: number; pairs: number; firsts: number }>({ sql, params: [] });
      expect(found?.pairs).toBeGreaterThanOrEqual(confirmed);
      expect(found).toEqual({ rows: found!.pairs * 2, pairs: found!.pairs, firsts: found!.pairs });
      const check = await database.all({ sql: 'PRAGMA integrity_check', params: [] });
      expect(check).toEqual([{ integrity_check: 'ok' }]);
      await database.lifecycle.close();
      await lock.release();
    }
    expect(confirmed).toBeGreaterThan(0);
  });

  it('is kept until the last one gives it back', async () => {
    const lock = newLock();
    await lock.acquire();
    expect(await lock.tryAcquire()).toBe(true);
    await lock.release();
    expect(await newLock().tryAcquire()).toBe(false);
    await lock.release();
    expect(await newLock().tryAcquire()).toBe(true);
  });

  it('OPS-171 makes the directory and its files for the owner alone', async () => {
    await newLock().acquire();
    const database = new Database(new SqliteDialect({ file: directory.data, driver, queryTimeout: 30 }));
    await database.run({ sql: 'CREATE TABLE t (a)', params: [] });
    const mode = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;
    expect(await mode(directory.path)).toBe(0o700);
    for (const file of ['roost.lock', 'data.db', 'data.db-wal', 'data.db-shm']) {
      expect([file, await mode(join(directory.path, file))]).toEqual([file, 0o600]);
    }
    await database.lifecycle.close();
  });

  it('OPS-171 names a directory that cannot be made', async () => {
    await writeFile(join(parent, 'deep'), '');
    const error = await newLock()
      .acquire()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DataDirectoryError);
    expect((error as Error).message).toContain(directory.path);
  });

  it('OPS-176 a place that cannot be locked is refused, unless that is asked for', async () => {
    await mkdir(directory.path, { recursive: true });
    await writeFile(directory.lock, 'this is no database, and long enough to be sure of it'.repeat(20));
    const error = await newLock()
      .acquire()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DataDirectoryError);
    expect((error as Error).message).toMatch(/cannot be locked/);
    await newLock(true).acquire();
  });

  it.runIf(process.platform === 'linux')(
    'OPS-176 a network file system is said, for its locks may be none',
    async () => {
      const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      const { statfs } = fs.promises;
      fs.promises.statfs = (async () => ({ type: 0xff534d42 | 0 })) as unknown as typeof statfs;
      syncBuiltinESMExports();
      try {
        await newLock().acquire();
        expect(warn.mock.lastCall?.[0]).toContain(`${directory.path} is on a network file system (SMB)`);
      } finally {
        fs.promises.statfs = statfs;
        syncBuiltinESMExports();
        warn.mockClear();
      }
      directory = new DataDirectory(join(parent, 'local'));
      await newLock().acquire();
      expect(warn).not.toHaveBeenCalled();
      warn.mockRestore();
    },
  );

  it.skipIf(process.getuid?.() === 0)('OPS-176 a lock that can only be read locks nothing and is refused', async () => {
    await mkdir(directory.path, { recursive: true });
    await writeFile(directory.lock, '', { mode: 0o400 });
    await expect(newLock().acquire()).rejects.toThrow(/cannot be locked/);
    await expect(newLock().acquire()).rejects.toThrow(/cannot be locked/);
  });

  it('OPS-176 a lock that somebody holds is respected even then', async () => {
    await newLock().acquire();
    await expect(newLock(true).acquire()).rejects.toThrow(/database is locked/);
  });

  it('OPS-170 OPS-190 empties .temp and leaves it to the owner alone', async () => {
    await mkdir(join(directory.temp, 'upload'), { recursive: true });
    await writeFile(join(directory.temp, 'upload', 'part'), 'x');
    await chmod(directory.temp, 0o755);
    await directory.emptyTemp();
    expect(await readdir(directory.temp)).toEqual([]);
    expect((await stat(directory.temp)).mode & 0o777).toBe(0o700);
  });
});
