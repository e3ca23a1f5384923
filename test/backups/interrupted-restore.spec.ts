import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataSwap } from '../../src/backups/data-swap.js';
import { DataDirectory } from '../../src/database/data-directory.js';

/** The names of a swap that stands still before its first move. */
const OLD = { databases: ['data.db'], files: ['a', 'c'] };

let dir: string;
let directory: DataDirectory;
let swap: DataSwap;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'roost-swap-'));
  directory = new DataDirectory(dir);
  swap = new DataSwap(directory);
  fill(dir, join(dir, 'storage'), 'old', 'a');
  writeFileSync(join(dir, 'roost.lock'), 'lock');
  writeFileSync(join(dir, 'notes.txt'), 'of somebody');
  mkdirSync(join(dir, 'storage', '.parts'));
  const { databases, files } = await swap.prepare();
  fill(databases, files, 'new', 'b');
  writeFileSync(join(databases, 'auxiliary.db'), 'new logs');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Records with files in the collection `c`, which both have, and in one of their own. */
function fill(databases: string, files: string, what: string, own: string): void {
  writeFileSync(join(databases, 'data.db'), `${what} data`);
  for (const collection of ['c', own]) {
    mkdirSync(join(files, collection), { recursive: true });
    writeFileSync(join(files, collection, what), what);
  }
}

async function expectOld(): Promise<void> {
  await swap.clear();
  expect(readdirSync(dir).sort()).toEqual(['.temp', 'data.db', 'notes.txt', 'roost.lock', 'storage']);
  expect(readdirSync(directory.temp)).toEqual([]);
  expect(readFileSync(join(dir, 'data.db'), 'utf8')).toBe('old data');
  expect(readdirSync(join(dir, 'storage'), { recursive: true }).sort()).toEqual(['.parts', 'a', 'a/old', 'c', 'c/old']);
}

describe('a restore that is killed leaves the old data', () => {
  /** The renames of a swap in their order, so that it can be stopped after any of them. */
  const steps = (): (readonly [from: string, to: string])[] => {
    const { temp, storage } = directory;
    const databases = join(temp, 'restore');
    const files = join(storage, '.restore');
    return [
      ...OLD.databases.map((name) => [join(dir, name), join(databases, 'old', name)] as const),
      ...['auxiliary.db', 'data.db'].map((name) => [join(databases, 'content', name), join(dir, name)] as const),
      ...OLD.files.map((name) => [join(storage, name), join(files, 'old', name)] as const),
      ...['b', 'c'].map((name) => [join(files, 'content', name), join(storage, name)] as const),
    ];
  };

  it.each(Array.from({ length: 8 }, (_, done) => done))('OPS-105 OPS-106 after %i of its steps', async (done) => {
    writeFileSync(join(directory.temp, 'restore.json'), JSON.stringify(OLD));
    for (const [from, to] of steps().slice(0, done)) renameSync(from, to);
    await swap.clear();
    expect(await new DataSwap(directory).rollback()).toBe(true);
    await expectOld();
    expect(await new DataSwap(directory).rollback()).toBe(false);
    await expectOld();
  });

  it.each([0, 1, 2, 3])('OPS-105 also when bringing it back is killed after %i renames', async (done) => {
    await swap.swapIn();
    const renames = steps().filter(([, to]) => to.includes('/old/'));
    for (const [from, to] of renames.slice(0, done)) {
      rmSync(from, { recursive: true, force: true });
      renameSync(to, from);
    }
    await swap.rollback();
    await expectOld();
  });

  it('OPS-105 and waits with bringing it back for a storage that is not mounted', async () => {
    await swap.swapIn();
    renameSync(directory.storage, join(dir, 'unmounted'));
    mkdirSync(directory.storage);
    await expect(swap.rollback()).rejects.toThrow(/mounted/);
    await swap.clear();
    rmSync(directory.storage, { recursive: true });
    renameSync(join(dir, 'unmounted'), directory.storage);
    expect(await swap.rollback()).toBe(true);
    await expectOld();
  });
});

it('OPS-105 what was moved in stays once it is settled, and nobody else is touched', async () => {
  for (const name of ['roost.lock', 'notes.txt']) {
    writeFileSync(join(directory.temp, 'restore', 'content', name), 'of the backup');
  }
  await swap.swapIn();
  await swap.commit();
  expect(await swap.rollback()).toBe(false);
  await swap.clear();
  expect(readFileSync(join(dir, 'data.db'), 'utf8')).toBe('new data');
  expect(readFileSync(join(dir, 'notes.txt'), 'utf8')).toBe('of somebody');
  expect(readFileSync(join(dir, 'roost.lock'), 'utf8')).toBe('lock');
  expect(readdirSync(join(dir, 'storage'), { recursive: true }).sort()).toEqual(['.parts', 'b', 'b/new', 'c', 'c/new']);
  expect(readdirSync(directory.temp)).toEqual([]);
});

it('OPS-105 is neither taken back nor forgotten by a journal that is damaged', async () => {
  writeFileSync(join(directory.temp, 'restore.json'), '');
  for (const attempt of [() => swap.rollback(), () => swap.clear(), () => swap.prepare()]) {
    await expect(attempt()).rejects.toThrow(/restore\.json.* is damaged/);
  }
});

it('OPS-105 is not begun while one before it could not be taken back', async () => {
  await swap.swapIn();
  await expect(swap.prepare()).rejects.toThrow('could not be taken back');
  await swap.rollback();
  await expectOld();
});

it.runIf(process.platform === 'linux')('OPS-105 goes on in a storage that is on another file system', async () => {
  const elsewhere = mkdtempSync('/dev/shm/roost-swap-');
  try {
    rmSync(directory.storage, { recursive: true });
    symlinkSync(elsewhere, directory.storage);
    mkdirSync(join(elsewhere, 'a'));
    const { files } = await swap.prepare();
    mkdirSync(join(files, 'b'));
    await swap.swapIn();
    expect(readdirSync(elsewhere).sort()).toEqual(['.restore', 'b']);
    await swap.rollback();
    await swap.clear();
    expect(readdirSync(elsewhere)).toEqual(['a']);
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});
