import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER, databaseFor } from '../support/postgres-databases.js';
import { startRoost } from '../support/roost.js';
import { Sqlite } from '../support/sqlite.js';

let sound: string;
let dir: string;

beforeAll(async () => {
  sound = mkdtempSync(join(tmpdir(), 'roost-sound-'));
  await makeSound(sound);
});
afterAll(() => rmSync(sound, { recursive: true, force: true }));

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-damaged-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const path = (name: string) => join(dir, name);

/** Why it does not start. */
async function refusal(): Promise<string> {
  const roost = await startRoost({ dir }).catch((error: Error) => error);
  if (roost instanceof Error) return roost.message;
  await roost.close();
  throw new Error('It started.');
}

async function makeSound(where: string): Promise<void> {
  const roost = await startRoost({ dir: where });
  await roost.createCollections({ name: 'notes', type: 'base', fields: [{ name: 'title', type: 'text' }] });
  await roost.close();
}

/** Changes a sound database behind the back of the application: sets a column of the rows of a condition. */
async function change(table: string, column: string, value: string, where: string): Promise<void> {
  const update = (place: string): string => `UPDATE "${table}" SET "${column}" = ${place} WHERE ${where}`;
  if (CLUSTER !== undefined) {
    await makeSound(dir);
    const client = new pg.Client({ connectionString: await databaseFor(dir) });
    await client.connect();
    try {
      await client.query(update('$1'), [value]);
    } finally {
      await client.end();
    }
    return;
  }
  cpSync(sound, dir, { recursive: true });
  const database = new Sqlite(path('data.db'));
  database.prepare(update('?')).run(value);
  database.close();
}

describe('a directory whose data.db is missing', () => {
  const put = (name: string): void => {
    mkdirSync(join(path(name), '..'), { recursive: true });
    writeFileSync(path(name), 'something');
  };

  it.each(['auxiliary.db', 'data.db-wal', 'storage/c/r/file.txt', 'backups/a.zip'])(
    'OPS-198 is not taken for a new one beside %s',
    async (name) => {
      put(name);
      expect(await refusal()).toContain(`${path('data.db')} is missing`);
      expect(existsSync(path('data.db'))).toBe(false);
      expect(readFileSync(path(name), 'utf8')).toBe('something');
    },
  );

  it('OPS-198 starts again when its volume is back', async () => {
    cpSync(sound, dir, { recursive: true });
    renameSync(path('data.db'), path('elsewhere'));
    expect(await refusal()).toContain('is missing');
    renameSync(path('elsewhere'), path('data.db'));
    await (await startRoost({ dir })).close();
  });

  it('OPS-190 is a new one beside empty folders and what is not of Roost', async () => {
    for (const name of ['storage', 'backups', 'lost+found']) mkdirSync(path(name));
    put('notes.txt');
    await (await startRoost({ dir })).close();
  });
});

describe('a database of another program', () => {
  it.each(['data.db', 'auxiliary.db'])('OPS-181 is refused as %s before anything is written to it', async (name) => {
    if (name !== 'data.db') cpSync(sound, dir, { recursive: true });
    rmSync(path(name), { force: true });
    const database = new Sqlite(path(name));
    database.exec('CREATE TABLE customers (id INTEGER PRIMARY KEY)');
    database.close();
    const before = readFileSync(path(name));
    expect(await refusal()).toContain('another program');
    expect(readFileSync(path(name)).equals(before)).toBe(true);
  });
});

describe('rows that cannot be read', () => {
  it.each(['garbage', '{"meta":', '', 'null', 'Z2FyYmFnZQ=='])('OPS-10 settings of %j are damaged', async (value) => {
    await change('_params', 'value', value, `"id" = 'settings'`);
    const message = await refusal();
    expect(message).toContain('damaged');
    expect(message).not.toContain('encrypted');
  });

  it.each(['[{"name":', '{}', '7', '[null]'])('COL-160 a collection with the fields %s is named', async (fields) => {
    await change('_collections', 'fields', fields, `"name" = 'notes'`);
    expect(await refusal()).toContain('"notes"');
  });
});
