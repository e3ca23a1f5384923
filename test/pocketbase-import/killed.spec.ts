import { createHash, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { roundsOf } from '../faults/rounds.js';
import { writePocketBaseDirectory } from '../support/pocketbase-directory.js';
import { RoostProcess } from '../support/roost-process.js';

const ROUNDS = roundsOf(2);
const root = mkdtempSync(join(tmpdir(), 'roost-killed-'));
const source = join(root, 'source');
const running: RoostProcess[] = [];

function roost(...args: string[]): RoostProcess {
  const process = new RoostProcess(args, { cwd: root });
  running.push(process);
  return process;
}

const importInto = (dir: string) => roost('import-pocketbase', source, `--dir=${dir}`);
const isMarked = (dir: string) => existsSync(join(dir, '.importing'));

/** All files of a storage with what is in them. */
function filesOf(dir: string): Record<string, string> {
  const storage = join(dir, 'storage');
  const files = readdirSync(storage, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return Object.fromEntries(paths.map((path) => [path.slice(storage.length), hash(path)]));
}

/** Waits for something an import does; false when it ended before. */
async function reaches(process: RoostProcess, isThere: () => boolean): Promise<boolean> {
  while (!isThere()) {
    if (process.child.exitCode !== null) return false;
    await sleep(2);
  }
  return true;
}

beforeAll(() => {
  writePocketBaseDirectory(source, { morePosts: 8_000 });
  for (let index = 0; index < 300; index++) {
    const folder = join(source, 'storage', 'pbc_1111111111', 'post00000000001');
    writeFileSync(join(folder, `orphan_${index}.txt`), 'x');
  }
  writeFileSync(
    join(source, 'storage/pbc_1111111111/post00000000001/one_aaaaaaaaaa.txt'),
    Buffer.alloc(20_000_000, 'a'),
  );
});

afterEach(async () => {
  for (const process of running.splice(0)) await process.stop('SIGKILL');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('an import from PocketBase whose process is killed', () => {
  let whole: { stdout: string; files: Record<string, string>; took: number };

  beforeAll(async () => {
    const dir = join(root, 'undisturbed');
    const process = importInto(dir);
    expect(await reaches(process, () => isMarked(dir))).toBe(true);
    const started = performance.now();
    const { code, stdout } = await process.finished();
    expect(code).toBe(0);
    expect(isMarked(dir)).toBe(false);
    whole = { stdout, files: filesOf(dir), took: performance.now() - started };
  });

  /** A directory that is not complete is nothing for the next import, which completes it. */
  async function expectWholeAfterAnotherRun(dir: string): Promise<void> {
    const wasMarked = isMarked(dir);
    if (!wasMarked) expect(readdirSync(dir).filter((name) => name !== 'roost.lock')).toEqual([]);
    const again = await importInto(dir).finished();
    expect({ code: again.code, stderr: again.stderr }).toEqual({ code: 0, stderr: '' });
    expect(again.stdout.startsWith('Begins anew')).toBe(wasMarked);
    expect(again.stdout.replace(/^Begins anew.*\n/, '')).toBe(whole.stdout);
    expect(filesOf(dir)).toEqual(whole.files);
    expect(readdirSync(dir).sort()).toEqual(readdirSync(join(root, 'undisturbed')).sort());
  }

  it('OPS-165 leaves a directory no other command uses', async () => {
    const dir = join(root, 'unusable');
    const process = importInto(dir);
    expect(await reaches(process, () => process.stdout.includes('users: '))).toBe(true);
    await process.stop('SIGKILL');
    const before = readdirSync(dir).sort();
    const commands = [
      ['serve', '--http=127.0.0.1:0'],
      ['superuser', 'upsert', 'a@example.com', '1234567890'],
      ['backup', 'restore', 'any.zip', '--yes'],
    ];
    for (const command of commands) {
      const { code, stderr } = await roost(...command, `--dir=${dir}`).finished();
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('run import-pocketbase again') });
    }
    expect(readdirSync(dir).sort()).toEqual(before);
  });

  it.each(['Collections: ', 'posts: '])('OPS-165 is made good by the next one, killed after %j', async (line) => {
    const dir = join(root, `at-${line.replace(/\W/g, '')}`);
    const process = importInto(dir);
    expect(await reaches(process, () => process.stdout.includes(line))).toBe(true);
    await process.stop('SIGKILL');
    expect(isMarked(dir)).toBe(true);
    await expectWholeAfterAnotherRun(dir);
  });

  it(`OPS-165 is made good by the next one, killed ${ROUNDS} times at random`, async () => {
    const dir = join(root, 'again-and-again');
    const delays: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const process = importInto(dir);
      await reaches(process, () => isMarked(dir) && (round === 0 || process.stdout !== ''));
      delays.push(randomInt(Math.ceil(whole.took / 2)));
      await sleep(delays.at(-1)!);
      await process.stop('SIGKILL');
      if (isMarked(dir)) continue;
      // It was quicker.
      expect(filesOf(dir)).toEqual(whole.files);
      rmSync(dir, { recursive: true });
      mkdirSync(dir);
    }
    // What helps to repeat a failure.
    console.log(`killed after ${delays.join(', ')} ms of ${Math.round(whole.took)}`);
    await expectWholeAfterAnotherRun(dir);
  }, 180_000);

  it('OPS-165 lets nobody in while it runs, another import least of all', async () => {
    const dir = join(root, 'busy');
    const first = importInto(dir);
    expect(await reaches(first, () => first.stdout.includes('Collections: '))).toBe(true);
    first.child.kill('SIGSTOP');
    const second = await importInto(dir).finished();
    first.child.kill('SIGCONT');
    expect({ code: second.code, stderr: second.stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('database is locked'),
    });
    const { code, stdout } = await first.finished();
    expect({ code, stdout }).toEqual({ code: 0, stdout: whole.stdout });
    expect(filesOf(dir)).toEqual(whole.files);
  });

  it('OPS-165 takes a directory with a lock alone as empty, and one with anything else as full', async () => {
    const dir = join(root, 'locked');
    mkdirSync(dir);
    writeFileSync(join(dir, 'roost.lock'), '');
    expect((await importInto(dir).finished()).code).toBe(0);
    const { code, stderr } = await importInto(dir).finished();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Name a new one with --dir') });
    expect(filesOf(dir)).toEqual(whole.files);
  });
});
