import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { afterEach, expect, it, vi } from 'vitest';
import { LoneInstance } from '../../src/instances/lone-instance.js';
import type { RoostConfig } from '../../src/config/roost-config.js';
import { ImageProcess } from '../../src/files/image-process.js';
import { Thumbnailer } from '../../src/files/thumbnailer.js';
import { parseThumbSize } from '../../src/kernel/files/thumb-size.js';
import type { FileStorage, StoredFile } from '../../src/storage/file-storage.js';
import { eventually } from '../support/eventually.js';

/** One that makes a thumbnail at a time. */
function thumbnailerFor(storage: FileStorage, dir: string): Thumbnailer {
  const config = { dir, thumbsMaxWorkers: 1, thumbsMaxWait: 600 } as RoostConfig;
  return new Thumbnailer(new ImageProcess(config), storage, config, { now: () => 0 }, new LoneInstance());
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it.each([
  ['a small image', 1_000],
  ['a large image', 100_000_000],
])('FS-85 %s that trickles from its storage does not keep its turn for ever', async (_name, size) => {
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const dir = await mkdtemp(join(tmpdir(), 'roost-thumbnailer-'));
  const opened: Readable[] = [];
  const storage = {
    open: () => {
      const stream = new Readable({ read: () => undefined });
      stream.push('x');
      opened.push(stream);
      return Promise.resolve({ file: original, stream });
    },
  } as unknown as FileStorage;
  const original = { key: 'c/r/a.png', size, contentType: 'image/png' } as StoredFile;
  const thumbnailer = thumbnailerFor(storage, dir);
  const make = (key: string) => thumbnailer.make({ original, key, size: parseThumbSize('100x100')!, client: '' });
  try {
    for (const key of ['one', 'two']) {
      const made = expect(make(key)).rejects.toThrow('in time');
      await eventually(() => expect(opened).toHaveLength(key === 'one' ? 1 : 2));
      vi.advanceTimersByTime(60_000);
      await made;
    }
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([true, true]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

it('OPS-39 FS-85 clients take turns, however many pictures one of them asks for', async () => {
  vi.spyOn(Logger.prototype, 'warn').mockReturnValue();
  const dir = await mkdtemp(join(tmpdir(), 'roost-thumbnailer-'));
  const begun: string[] = [];
  // A picture that is gone needs a turn all the same.
  const storage = {
    open: (key: string) => {
      begun.push(key);
      return Promise.resolve(undefined);
    },
  } as unknown as FileStorage;
  const thumbnailer = thumbnailerFor(storage, dir);
  const make = (key: string, client: string) => {
    const original = { key, size: 1, contentType: 'image/png' } as StoredFile;
    return thumbnailer.make({ original, key: `thumbs/${key}`, size: parseThumbSize('100x100')!, client });
  };
  try {
    const asked = ['a1', 'a2', 'a3', 'b1'].map((key) => make(key, key.slice(0, 1)));
    await Promise.allSettled(asked);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
