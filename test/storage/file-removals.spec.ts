import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestStorage } from './test-storage.js';

let test: TestStorage;

beforeEach(async () => {
  test = await TestStorage.open(3);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await test.close();
});

describe('deletions', () => {
  it('FS-35 FS-36 go on in the background, with thumbnails, a bounded number at once', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `c/r${index}/a`);
    await test.put(...names, 'c/r0/thumbs_a/100x100_a', 'c/keep/a');
    let running = 0;
    let most = 0;
    let start!: () => void;
    const started = new Promise<void>((resolve) => (start = resolve));
    test.storage.before = async () => {
      most = Math.max(most, ++running);
      await started;
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
    };
    await test.removals.add([...names.slice(0, 6), ...names.slice(6).map((name) => name.slice(0, -1))]);
    expect(await test.storage.keys()).toHaveLength(14);
    start();
    await test.removals.idle();
    expect(await test.storage.keys()).toEqual(['c/keep/a']);
    expect(most).toBe(3);
  });

  it('FS-35 one that fails is logged and does not stop the others', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    await test.put('c/r/a', 'c/r/b', 'c/r/c');
    test.storage.before = (call) => {
      if (call === 'delete c/r/b') throw new Error('no access');
    };
    await test.removals.add(['c/r/a', 'c/r/b', 'c/r/c']);
    await test.removals.idle();
    expect(await test.storage.keys()).toEqual(['c/r/b']);
    expect(warn.mock.calls).toEqual([['c/r/b could not be deleted: Error: no access']]);
  });

  it('FS-38 wait while a backup reads the files, and go on when the last one is done', async () => {
    await test.put('c/r/a', 'c/r2/b');
    const [first, second] = await Promise.all([test.removals.suspend(), test.removals.suspend()]);
    await test.removals.add(['c/r/a', 'c/r2/']);
    first();
    first();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await test.storage.keys()).toHaveLength(2);
    second();
    await test.removals.idle();
    expect(await test.storage.keys()).toEqual([]);
  });

  it('FS-38 wait also behind those that run already when a backup begins', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `c/r${index}/a`);
    await test.put(...names);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    test.storage.before = () => held;
    await test.removals.add(names);
    await expect.poll(() => test.storage.calls.filter((call) => call.startsWith('delete '))).toHaveLength(3);
    const release = await test.removals.suspend();
    goOn();
    await expect.poll(() => test.storage.keys()).toEqual(names.slice(3));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await test.storage.keys()).toEqual(names.slice(3));
    release();
    await test.removals.idle();
    expect(await test.storage.keys()).toEqual([]);
  });

  it('FS-36 that wait are done before the process ends', async () => {
    await test.put('c/r/a');
    await test.removals.suspend();
    await test.removals.add(['c/r/a']);
    await test.removals.onApplicationShutdown();
    expect(await test.storage.keys()).toEqual([]);
  });

  it('FS-36 SCALE-24 that wait when a server is told to stop are left to the next start', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const names = Array.from({ length: 6 }, (_, index) => `c/r${index}/a`);
    await test.put(...names);
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    test.storage.before = () => held;
    await test.removals.add(names);
    await expect.poll(() => test.storage.calls.filter((call) => call.startsWith('delete '))).toHaveLength(3);
    test.removals.stop();
    const stopping = test.removals.onApplicationShutdown();
    goOn();
    await stopping;
    expect([await test.storage.keys(), await test.owed()]).toEqual([names.slice(3), names.slice(3)]);
    const next = test.anotherProcess();
    await next.begin();
    await next.idle();
    expect(await test.storage.keys()).toEqual([]);
    expect(warn.mock.calls).toEqual([]);
  });

  it('FS-36 nothing is begun any more, and complained of, when the databases are about to close', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    await test.put('c/r/a');
    const release = await test.removals.suspend();
    await test.removals.onApplicationShutdown();
    await test.removals.add(['c/r/a']);
    release();
    await test.database.lifecycle.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(warn.mock.calls).toEqual([]);
    await test.database.lifecycle.open();
    expect(await test.owed()).toEqual(['c/r/a']);
  });
});

describe('what is to be deleted', () => {
  const next = () => test.anotherProcess();

  it('FS-36 SCALE-24 is written down with what makes it useless, and forgotten when it is gone', async () => {
    await test.put('c/r/a', 'c/s/a');
    const release = await test.removals.suspend();
    await test.database.transaction(async () => {
      await test.removals.add(['c/r/']);
      expect(await test.owed()).toEqual(['c/r/']);
    });
    const failed = test.database.transaction(async () => {
      await test.removals.add(['c/s/']);
      throw new Error('refused');
    });
    await expect(failed).rejects.toThrow('refused');
    expect(await test.owed()).toEqual(['c/r/']);
    release();
    await test.removals.idle();
    expect([await test.owed(), await test.storage.keys()]).toEqual([[], ['c/s/a']]);
  });

  it('SCALE-24 is deleted by the next process when the one that owed it ended', async () => {
    await test.put('c/r/a', 'c/s/a');
    await test.database.run({ sql: `INSERT INTO "_file_removals" ("name") VALUES ('c/r/'), ('c/s/a')`, params: [] });
    await next().begin();
    await expect.poll(() => test.storage.keys()).toEqual([]);
    await expect.poll(() => test.owed()).toEqual([]);
  });

  it('FS-35 what could not be deleted stays owed, and the next start deletes it', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    await test.put('c/r/a', 'c/r/b', 'c/s/a');
    test.storage.before = (call) => {
      if (call === 'delete c/r/a' || call === 'deleteFolder c/s/') throw new Error('out of reach');
    };
    await test.removals.add(['c/r/a', 'c/s/', 'c/r/b']);
    await test.removals.idle();
    expect(await test.owed()).toEqual(['c/r/a', 'c/s/']);
    test.storage.before = () => undefined;
    await test.removals.add(['c/r/c']);
    await test.removals.idle();
    expect(await test.owed()).toEqual(['c/r/a', 'c/s/']);
    await next().begin();
    await expect.poll(() => test.owed()).toEqual([]);
    expect(await test.storage.keys()).toEqual([]);
  });

  it('FS-96 what a killed process had stored for a transaction is deleted unless a record names it', async () => {
    await test.put('c/r/committed', 'c/r/thumbs_committed/1_committed', 'c/r/lost', 'c/s/lost');
    await mkdir(join(test.dir, '.temp'), { recursive: true });
    await writeFile(join(test.dir, '.temp', 'pending-files'), '\n"c/r/committed"\n"c/r/lost"\n"c/s/lost"');
    test.named.set('c/r', new Set(['committed']));
    await test.removals.begin();
    await test.removals.idle();
    expect(await test.storage.keys()).toEqual(['c/r/committed', 'c/r/thumbs_committed/1_committed']);
    expect([await test.owed(), existsSync(join(test.dir, '.temp', 'pending-files'))]).toEqual([[], false]);
  });

  it('FS-36 a folder whose record has come again loses what that does not name', async () => {
    await test.put('c/r/old', 'c/r/thumbs_old/1_old', 'c/r/new', 'c/r/thumbs_new/1_new', 'c/s/old');
    test.named.set('c/r', new Set(['new']));
    await test.removals.add(['c/']);
    await test.removals.idle();
    expect(await test.storage.keys()).toEqual(['c/r/new', 'c/r/thumbs_new/1_new']);
  });

  it('FS-36 OPS-105 any number of them waits without a limit, and a pause ends only what runs', async () => {
    const names = Array.from({ length: 70_000 }, (_, index) => `c/r${index}/a`);
    const release = await test.removals.pause();
    await test.database.transaction(() => test.removals.add(names));
    expect((await test.owed()).length).toBe(70_000);
    await test.database.run({ sql: 'DELETE FROM "_file_removals" WHERE "id" > 1200', params: [] });
    release();
    await test.removals.idle();
    expect(test.storage.calls.filter((call) => call.startsWith('delete '))).toHaveLength(1200);
    expect(await test.owed()).toEqual([]);
  });
});
