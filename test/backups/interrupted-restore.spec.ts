import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DataSwap } from '../../src/backups/data-swap.js';
import { DataDirectory } from '../../src/database/data-directory.js';

let dir: string;
let directory: DataDirectory;
let content: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-swap-'));
  directory = new DataDirectory(dir);
  content = join(directory.temp, 'restore_x', 'content');
  mkdirSync(content, { recursive: true });
  fill(dir, 'old');
  writeFileSync(join(dir, 'roost.lock'), 'lock');
  writeFileSync(join(dir, 'notes.txt'), 'of somebody');
  fill(content, 'new');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function fill(path: string, what: string): void {
  writeFileSync(join(path, 'data.db'), `${what} data`);
  if (what === 'new') writeFileSync(join(path, 'auxiliary.db'), `${what} logs`);
  mkdirSync(join(path, 'storage', 'c'), { recursive: true });
  writeFileSync(join(path, 'storage', 'c', what), what);
}

function expectOld(): void {
  expect(readdirSync(dir).sort()).toEqual(['.temp', 'data.db', 'notes.txt', 'roost.lock', 'storage']);
  expect(readFileSync(join(dir, 'data.db'), 'utf8')).toBe('old data');
  expect(readdirSync(join(dir, 'storage', 'c'))).toEqual(['old']);
}

describe('a restore that is killed leaves the old data', () => {
  /** The renames of a swap in their order, so that it can be stopped after any of them. */
  const OLD = ['data.db', 'storage'];
  const NEW = ['auxiliary.db', 'data.db', 'storage'];

  it.each(Array.from({ length: OLD.length + NEW.length + 1 }, (_, done) => done))(
    'OPS-105 OPS-106 after %i of its steps',
    async (done) => {
      const old = join(directory.temp, 'old_x');
      mkdirSync(old);
      writeFileSync(join(directory.temp, 'restore.json'), JSON.stringify({ old, names: OLD }));
      const steps = [
        ...OLD.map((name) => [join(dir, name), join(old, name)] as const),
        ...NEW.map((name) => [join(content, name), join(dir, name)] as const),
      ];
      for (const [from, to] of steps.slice(0, done)) renameSync(from, to);
      expect(await new DataSwap(directory).takeBack()).toBe(true);
      expectOld();
      expect(await new DataSwap(directory).takeBack()).toBe(false);
      expectOld();
    },
  );

  it.each([0, 1])('OPS-105 also when bringing it back is killed after %i renames', async (done) => {
    const swap = new DataSwap(directory);
    await swap.moveIn(content);
    const { old } = JSON.parse(readFileSync(join(directory.temp, 'restore.json'), 'utf8')) as { old: string };
    for (const name of ['auxiliary.db', 'data.db', 'storage']) rmSync(join(dir, name), { recursive: true });
    for (const name of OLD.slice(0, done)) renameSync(join(old, name), join(dir, name));
    await swap.takeBack();
    expectOld();
  });
});

it('OPS-105 what was moved in stays once it is settled, and nobody else is touched', async () => {
  const swap = new DataSwap(directory);
  for (const name of ['roost.lock', 'notes.txt']) writeFileSync(join(content, name), 'of the backup');
  await swap.moveIn(content);
  await swap.settle();
  expect(await swap.takeBack()).toBe(false);
  expect(readFileSync(join(dir, 'data.db'), 'utf8')).toBe('new data');
  expect(readFileSync(join(dir, 'notes.txt'), 'utf8')).toBe('of somebody');
  expect(readFileSync(join(dir, 'roost.lock'), 'utf8')).toBe('lock');
  expect(readdirSync(directory.temp)).toEqual(['restore_x']);
});
