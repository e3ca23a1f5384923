import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DataDirectory } from '../../src/database/data-directory.js';
import { LoneInstance } from '../../src/instances/lone-instance.js';
import { PendingFileJournal } from '../../src/storage/pending-file-journal.js';
import { TestStorage } from './test-storage.js';

let dir: string;
let file: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-pending-'));
  file = join(dir, '.temp', 'pending-files');
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

const journal = () => new PendingFileJournal(new DataDirectory(dir), new LoneInstance());
/** What the next process would find. */
const left = async () => [...(await journal().open())].sort();
const written = () => Promise.resolve();

async function opened(): Promise<PendingFileJournal> {
  const files = journal();
  await files.open();
  return files;
}

describe('the journal of pending files', () => {
  it('FS-96 holds what is pending, and is no file when nothing is', async () => {
    const files = await opened();
    expect(existsSync(file)).toBe(false);
    files.add('c/r/a');
    files.add('c/r/b');
    await written();
    files.add('c/s/a');
    await written();
    expect(await left()).toEqual(['c/r/a', 'c/r/b', 'c/s/a']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    files.remove('c/r/a');
    files.remove('c/s/a');
    expect(await left()).toContain('c/r/b');
    files.remove('c/r/b');
    expect(existsSync(file)).toBe(false);
    files.add('again');
    await written();
    expect(await left()).toEqual(['again']);
  });

  it('FS-96 keeps what an earlier process left until it was looked through', async () => {
    await mkdir(join(dir, '.temp'));
    await writeFile(file, '\n"c/r/a"\n"c/r/a"\n"c/r/cut off');
    const files = journal();
    expect(await files.open()).toEqual(['c/r/a']);
    files.add('c/r/b');
    await written();
    expect(await left()).toEqual(['c/r/a', 'c/r/b']);
    files.compact();
    expect(await left()).toEqual(['c/r/b']);
    files.remove('c/r/b');
    expect(existsSync(file)).toBe(false);
  });

  it('FS-96 does not grow for ever while something is always pending', async () => {
    const files = await opened();
    files.add('stays');
    for (let index = 0; index < 200; index++) {
      const name = `${'x'.repeat(50_000)}${index}`;
      files.add(name);
      await written();
      files.remove(name);
    }
    expect((await stat(file)).size).toBeLessThan(2_000_000);
    expect(await left()).toContain('stays');
  });

  it('FS-96 is kept by the holder of the lock only', async () => {
    const files = journal();
    files.add('c/r/a');
    await written();
    expect(existsSync(file)).toBe(false);
  });

  it('FS-96 that cannot be written is told of once, and holds up nobody', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const files = await opened();
    await appendFile(join(dir, '.temp'), 'in the way');
    for (const name of ['a', 'b']) {
      files.add(name);
      await written();
    }
    expect(warn).toHaveBeenCalledTimes(1);
    await rm(join(dir, '.temp'));
    files.add('c');
    await written();
    expect(await left()).toContain('c');
  });
});

describe('a storage', () => {
  it('FS-96 FS-34 has in its journal what is not committed', async () => {
    const test = await TestStorage.open();
    await test.journal.open();
    const next = async () =>
      [...(await new PendingFileJournal(new DataDirectory(test.dir), new LoneInstance()).open())].sort();
    const staged = { key: 'c/r/a', upload: await test.upload('a') };
    await test.staged.stage([staged]);
    expect(await next()).toEqual(['c/r/a']);
    await test.database.transaction(() => test.staged.stage([staged]));
    expect(await next()).toEqual([]);
    const other = { key: 'c/r/b', upload: await test.upload('b') };
    const failed = test.database.transaction(async () => {
      await test.staged.stage([other]);
      expect(await next()).toEqual(['c/r/b']);
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    expect(await next()).toEqual([]);
    await test.close();
  });

  it('FS-35 owes what could not be deleted after a rollback', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const test = await TestStorage.open();
    await test.journal.open();
    test.storage.before = (call) => {
      if (call.startsWith('delete')) throw new Error('out of reach');
    };
    const staged = { key: 'c/t/a', upload: await test.upload('a') };
    const failed = test.database.transaction(async () => {
      await test.staged.stage([staged]);
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    await expect.poll(() => test.owed()).toEqual(['c/t/a']);
    await expect.poll(() => existsSync(join(test.dir, '.temp', 'pending-files'))).toBe(false);
    await test.close();
  });
});
