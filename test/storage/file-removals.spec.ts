import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RemovalQueue } from '../../src/storage/removal-queue.js';
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
    for (const name of names.slice(0, 6)) test.removals.removeFile(name);
    for (let index = 6; index < 12; index++) test.removals.removeFolder(`c/r${index}/`);
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
    for (const name of ['a', 'b', 'c']) test.removals.removeFile(`c/r/${name}`);
    await test.removals.idle();
    expect(await test.storage.keys()).toEqual(['c/r/b']);
    expect(warn.mock.calls).toEqual([['c/r/b could not be deleted: Error: no access']]);
  });

  it('FS-38 wait while a backup reads the files, and go on when the last one is done', async () => {
    await test.put('c/r/a', 'c/r2/b');
    const [first, second] = [test.removals.hold(), test.removals.hold()];
    test.removals.removeFile('c/r/a');
    test.removals.removeFolder('c/r2/');
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
    for (const name of names) test.removals.removeFile(name);
    const release = test.removals.hold();
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
    test.removals.hold();
    test.removals.removeFile('c/r/a');
    await test.removals.onApplicationShutdown();
    expect(await test.storage.keys()).toEqual([]);
  });
});

it('FS-36 any number of deletions can wait and are taken in order', () => {
  const queue = new RemovalQueue();
  const taken: string[] = [];
  for (let index = 0; index < 200_000; index++) {
    queue.push({ name: String(index), run: async () => {} });
    if (index % 3 === 0) taken.push(queue.shift()!.name);
  }
  while (queue.size > 0) taken.push(queue.shift()!.name);
  expect(queue.shift()).toBeUndefined();
  expect(taken).toHaveLength(200_000);
  expect(taken.every((name, index) => name === String(index))).toBe(true);
});
