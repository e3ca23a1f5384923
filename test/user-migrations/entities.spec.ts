import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import { RoostProcess } from '../support/roost-process.js';
import { startRoost } from '../support/roost.js';

const LIBRARY = fileURLToPath(new URL('library/main.mjs', import.meta.url));
const TIMEOUT = 180_000;

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-entities-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs a command of the library, whose entities are those of an edition. */
const run = (edition: 1 | 2, ...args: string[]) =>
  new RoostProcess([...args, '--dir', join(dir, 'data'), '--migrationsDir', join(dir, 'migrations')], {
    cwd: dir,
    main: LIBRARY,
    env: { EDITION: String(edition) },
  }).finished();

const files = () => readdirSync(join(dir, 'migrations')).sort();
const textOf = (file: string) => readFileSync(join(dir, 'migrations', file), 'utf8');

/** What is in the database, by an application that has no entities. */
async function query(...statements: string[]): Promise<Record<string, unknown>[]> {
  const roost = await startRoost({ dir, config: { ROOST_DIR: join(dir, 'data'), ROOST_MIGRATIONS_DIR: dir } });
  try {
    let rows: Record<string, unknown>[] = [];
    for (const sql of statements) {
      const database = roost.app.get(Database, { strict: false });
      rows = [...(await database.run<Record<string, unknown>>({ sql, params: [] })).rows];
    }
    return rows;
  } finally {
    await roost.close();
  }
}

const SCHEMA = `SELECT "name", "sql" FROM "sqlite_schema" WHERE "name" NOT LIKE 'sqlite_%' ORDER BY "name"`;

describe('migrate create --from-entities', () => {
  it(
    'OPS-186 writes what makes the tables of a team what its entities say, and nothing when they are',
    async () => {
      const first = await run(1, 'migrate', 'create', 'library', '--from-entities', '--yes');
      expect(first.code, first.stderr).toBe(0);
      const [file] = files();
      expect(first.stdout).toBe(`${join(dir, 'migrations', file!)}\n`);
      expect(first.stderr).toContain('User is left out: its table is a collection');
      expect(textOf(file!)).toContain('CREATE TABLE "authors"');
      expect(textOf(file!)).not.toMatch(/users|_collections|_params/i);
      // What is pending would be written once more.
      const pending = await run(1, 'migrate', 'create', 'again', '--from-entities', '--yes');
      expect(pending).toMatchObject({ code: 1, stderr: expect.stringContaining(`(migrate up): ${file!}`) });
      expect(await run(1, 'migrate', 'up')).toMatchObject({ code: 0, stdout: `Applied ${file!}\n` });
      const again = await run(1, 'migrate', 'create', 'again', '--from-entities', '--yes');
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('there is nothing to write') });
      expect(files()).toEqual([file]);
    },
    TIMEOUT,
  );

  it(
    'OPS-186 changes tables that others refer to without losing a row, and back',
    async () => {
      await run(1, 'migrate', 'create', 'library', '--from-entities', '--yes');
      await run(1, 'migrate', 'up');
      await query(
        `INSERT INTO "authors" ("name") VALUES ('Ann'), ('Bob')`,
        `INSERT INTO "books" ("title", "authorId") VALUES ('One', 1), ('Two', 2)`,
      );
      const before = await query(SCHEMA);
      const written = await run(2, 'migrate', 'create', 'ranks', '--from-entities', '--yes');
      expect(written.code, written.stderr).toBe(0);
      const [, file] = files();
      const applied = await run(2, 'migrate', 'up');
      expect(applied, applied.stderr).toMatchObject({ code: 0, stdout: `Applied ${file!}\n` });
      const rows = 'SELECT "title", "pages", "name", "rank" FROM "books" JOIN "authors" ON "authors"."id" = "authorId"';
      expect(await query(rows)).toEqual([
        { title: 'One', pages: null, name: 'Ann', rank: 1 },
        { title: 'Two', pages: null, name: 'Bob', rank: 1 },
      ]);
      expect(await query('SELECT * FROM "titles"')).toHaveLength(2);
      const nothing = await run(2, 'migrate', 'create', 'more', '--from-entities', '--yes');
      expect(nothing.stdout).toContain('there is nothing to write');
      const down = await run(2, 'migrate', 'down', '--yes');
      expect(down, down.stderr).toMatchObject({ code: 0, stdout: `Reverted ${file!}\n` });
      expect(await query('SELECT count(*) AS "books" FROM "books"')).toEqual([{ books: 2 }]);
      const named = (found: Record<string, unknown>[]) => found.map(({ name }) => name);
      expect(named(await query(SCHEMA))).toEqual(named(before));
    },
    TIMEOUT,
  );

  it(
    'OPS-186 undoes a migration that leaves rows without the ones they refer to',
    async () => {
      await run(1, 'migrate', 'create', 'library', '--from-entities', '--yes');
      await run(1, 'migrate', 'up');
      await query(`INSERT INTO "authors" ("name") VALUES ('Ann')`, `INSERT INTO "books" ("authorId") VALUES (1)`);
      writeFileSync(
        join(dir, 'migrations/9999999999_careless.js'),
        `export const withoutForeignKeys = true;
        export const up = (app) => app.sql('DELETE FROM "authors"');`,
      );
      const { code, stderr } = await run(1, 'migrate', 'up');
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'Error: The migrations leave rows of books that refer to none of authors.\n',
      });
      expect(await query('SELECT "name" FROM "authors"')).toEqual([{ name: 'Ann' }]);
    },
    TIMEOUT,
  );
});
