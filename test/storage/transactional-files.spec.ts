import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StagedFile } from '../../src/storage/transactional-files.js';
import { TestStorage } from './test-storage.js';

let test: TestStorage;

beforeEach(async () => {
  test = await TestStorage.open();
});

afterEach(async () => {
  test.storage.before = () => undefined;
  vi.restoreAllMocks();
  await test.close();
});

const file = async (key: string, content = key): Promise<StagedFile> => ({ key, upload: await test.upload(content) });
const keys = () => test.storage.keys();

describe('files of a transaction', () => {
  it('FS-34 are stored at once and stay when it commits', async () => {
    const staged = await file('c/r/a', 'content');
    await test.database.transaction(async () => {
      await test.staged.stage([staged]);
      expect(await keys()).toEqual(['c/r/a']);
    });
    expect(await test.storage.stat('c/r/a')).toMatchObject({
      contentType: 'text/plain',
      originalName: 'content.txt',
      size: 7,
      md5: staged.upload.md5,
    });
    await test.staged.discard([staged]);
    expect(await keys()).toEqual(['c/r/a']);
  });

  it('FS-34 are removed when it rolls back, with the thumbnails made meanwhile', async () => {
    const staged = [await file('c/r/a'), await file('c/r/b')];
    await test.put('c/r/old');
    const work = test.database.transaction(async () => {
      await test.staged.stage(staged);
      await test.put('c/r/thumbs_a/100x100_a');
      throw new Error('refused');
    });
    await expect(work).rejects.toThrow('refused');
    expect(await keys()).toEqual(['c/r/old']);
  });

  it('BAT-13 are removed with the part that failed, and with the whole', async () => {
    const [first, second] = [await file('c/r/a'), await file('c/r/b')];
    await test.database.transaction(async () => {
      await test.staged.stage([first]);
      const inner = test.database.transaction(async () => {
        await test.staged.stage([second]);
        throw new Error('inner');
      });
      await expect(inner).rejects.toThrow('inner');
      expect(await keys()).toEqual(['c/r/a']);
    });
    expect(await keys()).toEqual(['c/r/a']);
    const whole = test.database.transaction(async () => {
      const third = await file('c/r/c');
      await test.database.transaction(() => test.staged.stage([third]));
      throw new Error('outer');
    });
    await expect(whole).rejects.toThrow('outer');
    expect(await keys()).toEqual(['c/r/a']);
  });

  it('FS-34 when one of them cannot be stored, none stays and the fault is told', async () => {
    test.storage.before = (call) => {
      if (call === 'write c/r/b') throw new Error('disk full');
    };
    const files = [await file('c/r/a'), await file('c/r/b'), await file('c/r/c')];
    await expect(test.staged.stage(files)).rejects.toThrow('disk full');
    expect(await keys()).toEqual([]);
    await expect(test.database.transaction(() => test.staged.stage(files.slice(1)))).rejects.toThrow('disk full');
    expect(await keys()).toEqual([]);
  });

  it('FS-27 keep the first 255 characters of their name', async () => {
    const upload = { ...(await test.upload('x')), originalName: '😀'.repeat(300) };
    await test.staged.stage([{ key: 'c/r/a', upload }]);
    expect((await test.storage.stat('c/r/a'))!.originalName).toBe('😀'.repeat(255));
  });
});

describe('files stored before the transaction', () => {
  it('FILE-1 are not stored again inside it, and share its fate from then on', async () => {
    const staged = [await file('c/r/a')];
    await test.staged.stage(staged);
    await test.database.transaction(() => test.staged.stage(staged));
    expect(test.storage.calls).toEqual(['write c/r/a']);
    expect(await keys()).toEqual(['c/r/a']);

    const others = [await file('c/r/b')];
    await test.staged.stage(others);
    const refused = test.database.transaction(async () => {
      await test.staged.stage(others);
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await keys()).toEqual(['c/r/a']);
  });

  it('FILE-1 are removed by whoever stored them when nothing comes of it; twice is once', async () => {
    const staged = [await file('c/r/a')];
    await test.staged.stage(staged);
    await test.staged.discard(staged);
    await test.staged.discard(staged);
    expect(await keys()).toEqual([]);
    expect(test.storage.calls.filter((call) => call.startsWith('delete '))).toEqual(['delete c/r/a']);
  });

  it('FS-34 discarding waits for a write that is under way', async () => {
    let finish: () => void = () => {};
    const slow = new Promise<void>((resolve) => (finish = resolve));
    test.storage.before = (call) => (call.startsWith('write') ? slow : undefined);
    const staged = [await file('c/r/a')];
    const staging = test.staged.stage(staged);
    const discarding = test.staged.discard(staged);
    finish();
    await Promise.all([staging, discarding]);
    expect(await keys()).toEqual([]);
  });

  it('FS-35 a file that cannot be removed is logged and no error', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    const staged = [await file('c/r/a')];
    await test.staged.stage(staged);
    test.storage.before = () => {
      throw new Error('gone');
    };
    await test.staged.discard(staged);
    expect(warn).toHaveBeenCalledOnce();
  });
});

describe('removals', () => {
  it('FS-34 FILE-2 happen after the outermost commit only', async () => {
    await test.put('c/r/a', 'c/r/thumbs_a/100x100_a', 'c/r/b');
    await test.database.transaction(async () => {
      await test.database.transaction(() => test.removals.add(['c/r/a']));
      await test.removals.idle();
      expect(await keys()).toHaveLength(3);
    });
    await test.removals.idle();
    expect(await keys()).toEqual(['c/r/b']);
  });

  it('FS-34 do not happen when the transaction rolls back', async () => {
    await test.put('c/r/a');
    const work = test.database.transaction(async () => {
      await test.removals.add(['c/r/a', 'c/r/']);
      throw new Error('refused');
    });
    await expect(work).rejects.toThrow('refused');
    await test.removals.idle();
    expect(await keys()).toEqual(['c/r/a']);
  });

  it('FS-36 BAT-13 a record that is deleted and made again in one transaction keeps its new file', async () => {
    await test.put('c/r/old', 'c/r/thumbs_old/1', 'c/r2/other');
    const staged = await file('c/r/new');
    await test.database.transaction(async () => {
      await test.removals.add(['c/r/']);
      await test.staged.stage([staged]);
      test.database.onCommit(() => void test.named.set('c/r', new Set(['new'])));
    });
    await test.removals.idle();
    expect(await keys()).toEqual(['c/r/new', 'c/r2/other']);
  });

  it('FS-36 a file stored before a delete of the same id commits survives it', async () => {
    await test.put('c/r/old');
    const staged = await file('c/r/new');
    await test.staged.stage([staged]);
    await test.database.transaction(() => test.removals.add(['c/r/']));
    await test.database.transaction(() => test.staged.stage([staged]));
    test.named.set('c/r', new Set(['new']));
    await test.removals.idle();
    expect(await keys()).toEqual(['c/r/new']);
  });

  it('FS-36 a file stored while its folder still waits to be deleted survives it, and its thumbnails do', async () => {
    const release = await test.removals.suspend();
    await test.put('c/r/old');
    await test.removals.add(['c/r/']);
    await test.removals.add(['c/']);
    const staged = await file('c/r/new');
    await test.database.transaction(() => test.staged.stage([staged]));
    test.named.set('c/r', new Set(['new']));
    await test.put('c/r/thumbs_new/100x100_new');
    release();
    await test.removals.idle();
    expect(await keys()).toEqual(['c/r/new', 'c/r/thumbs_new/100x100_new']);
  });

  it('FS-36 a file waits until its folder has been deleted when that has begun', async () => {
    await test.put('c/r/old');
    let finish: () => void = () => {};
    const slow = new Promise<void>((resolve) => (finish = resolve));
    test.storage.before = (call) => (call.startsWith('deleteFolder') ? slow : undefined);
    await test.removals.add(['c/r/']);
    const staging = test.staged.stage([await file('c/r/new')]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(test.storage.calls).not.toContain('write c/r/new');
    finish();
    await staging;
    await test.removals.idle();
    expect(await keys()).toEqual(['c/r/new']);
  });

  it('FS-36 what was stored and deleted again after a first delete goes with the second', async () => {
    const release = await test.removals.suspend();
    await test.removals.add(['c/r/']);
    const staged = await file('c/r/second');
    await test.database.transaction(() => test.staged.stage([staged]));
    await test.removals.add(['c/r/']);
    release();
    await test.removals.idle();
    expect(await keys()).toEqual([]);
  });
});
