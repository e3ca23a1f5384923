import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER = fileURLToPath(new URL('../../node_modules/typescript', import.meta.url));

/** Gives a directory what a team has that writes TypeScript; Node.js since 22.18 does without. */
export function installCompiler(dir: string): void {
  mkdirSync(join(dir, 'node_modules'));
  symlinkSync(COMPILER, join(dir, 'node_modules/typescript'), 'dir');
}
