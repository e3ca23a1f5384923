import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import { RoostProcess } from '../support/roost-process.js';

const RUN = fileURLToPath(new URL('./run.mjs', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'roost-bench-spec-'));

afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What runs with this folder among its arguments. */
function processes(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandOf)
    .filter((command) => command.includes(folder));
}

/** '' of a process that has ended since it was listed, as others of the machine may at any time. */
function commandOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

it.runIf(existsSync('/proc/self'))('an interrupted benchmark ends its servers and takes their data away', async () => {
  const bench = new RoostProcess(['batch'], { cwd: dir, main: RUN, env: { TMPDIR: dir } });
  await vi.waitUntil(() => readdirSync(dir).length > 0 && processes(dir).length > 0, { timeout: 60_000 });
  expect((await bench.stop('SIGINT')).code).toBe(130);
  expect(processes(dir)).toEqual([]);
  expect(readdirSync(dir)).toEqual([]);
});
