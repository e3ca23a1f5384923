import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RoostProcess } from '../support/roost-process.js';
import { installCompiler } from './team-compiler.js';

const TIMEOUT = 120_000;

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-typescript-'));
  mkdirSync(join(dir, 'roost_migrations'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (file: string, text: string) => writeFileSync(join(dir, 'roost_migrations', file), text);
const migrate = (...args: string[]) =>
  new RoostProcess(['migrate', ...args, '--dir', join(dir, 'data')], { cwd: dir }).finished();

/** As Node.js wants it: types alone, no enums, and imports with the ending of the file. */
const POSTS = `import type { MigrationApp } from 'roost';
import { NAME } from './names.ts';

export async function up(app: MigrationApp): Promise<void> {
  await app.collections.save({ name: NAME satisfies string, type: 'base' });
}

export const down = (app: MigrationApp): Promise<void> => app.collections.delete(NAME);
`;

describe('migrations in TypeScript', () => {
  beforeEach(() => {
    write('100_posts.ts', POSTS);
    write('names.ts', `export const NAME: string = 'posts';`);
    write('100_posts.d.ts', 'export declare const up: unknown;');
  });

  it(
    'OPS-185 run by the built program, and are the same once they are compiled beside themselves',
    async () => {
      installCompiler(dir);
      const first = await migrate('up');
      expect(first, first.stderr).toMatchObject({ code: 0, stdout: 'Applied 100_posts.ts\n' });
      write('100_posts.js', `export const down = (app) => app.collections.delete('posts');`);
      expect(await migrate('up')).toMatchObject({ code: 0, stdout: 'There is nothing to apply.\n' });
      expect(await migrate('history-sync')).toMatchObject({ stdout: 'Every applied migration has its file.\n' });
      expect(await migrate('down', '--yes')).toMatchObject({ code: 0, stdout: 'Reverted 100_posts.js\n' });
      expect(await migrate('down', '--yes')).toMatchObject({ stdout: 'There is nothing to take back.\n' });
    },
    TIMEOUT,
  );

  it.skipIf((process.features as { typescript?: unknown }).typescript)(
    'OPS-185 say what to do where nothing knows TypeScript',
    async () => {
      const { code, stderr } = await migrate('up');
      expect(code).toBe(1);
      expect(stderr).toMatch(/^Error: The migration 100_posts\.ts failed: Node\.js \S+ does not run TypeScript/);
      expect(stderr).toContain('npx tsc');
    },
    TIMEOUT,
  );
});
