import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { RoostProcess } from '../support/roost-process.js';

/** A folder for a test, which is removed when the test is over. */
export function workspace(): string {
  const dir = mkdtempSync(join(tmpdir(), 'roost-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Starts the built program; it ends with the test at the latest. */
export function start(
  args: readonly string[],
  cwd: string = workspace(),
  env: Readonly<Record<string, string>> = {},
): RoostProcess {
  const process = new RoostProcess(args, { cwd, env });
  onTestFinished(async () => void (await process.stop('SIGKILL')));
  return process;
}
