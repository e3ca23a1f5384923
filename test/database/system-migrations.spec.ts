import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuxiliaryDatabase, Database } from '../../src/database/database.js';
import { DataDirectory } from '../../src/database/data-directory.js';
import { DataDirectoryError } from '../../src/database/data-directory.error.js';
import { createDatabase } from '../../src/database/chosen-database.js';
import { DataDirLock } from '../../src/database/sqlite/data-dir-lock.js';
import { sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import { migrationsFolder } from '../../src/database/system-migrator.js';
import { sql } from './temporary-database.js';
import { testConfig } from './test-config.js';

let parent: string;
let directory: DataDirectory;
let migrations: string;
let lock: DataDirLock;
const opened: Database[] = [];

const newLock = (): DataDirLock =>
  new DataDirLock(directory, sqliteDriver(testConfig('').databaseDriver), { unsafeNoLock: false });

function newDatabase(theLock = lock): Database {
  const config = testConfig(directory.path);
  const database = createDatabase(Database, { part: 'data', config, directory, lock: theLock, migrations });
  opened.push(database);
  return database;
}

async function write(timestamp: string, name: string, up: string): Promise<void> {
  const text = `export class ${name}${timestamp} {
    async up(runner) { ${up} }
    async down() {}
  }`;
  await writeFile(join(migrations, `${timestamp}-${name.toLowerCase()}.js`), text);
}

const create = (table: string): string => `await runner.query('CREATE TABLE ${table} (id INTEGER PRIMARY KEY)');`;

async function tables(database: Database): Promise<string[]> {
  const rows = await database.all<{ name: string }>(
    sql("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"),
  );
  return rows.map(({ name }) => name);
}

async function refusal(database: Database): Promise<string> {
  const error: unknown = await database.lifecycle.open().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DataDirectoryError);
  return (error as Error).message;
}

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'roost-migrations-'));
  directory = new DataDirectory(join(parent, 'data'));
  migrations = join(parent, 'migrations');
  await mkdir(migrations);
  lock = newLock();
});

afterEach(async () => {
  for (const database of opened.splice(0)) await database.lifecycle.close();
  await lock.release();
  await rm(parent, { recursive: true, force: true });
});

describe('system migrations', () => {
  it('OPS-180 run in order when the database opens, once, and are remembered', async () => {
    await write('1700000000002', 'Second', "await runner.query('ALTER TABLE a ADD COLUMN b TEXT');");
    await write('1700000000001', 'First', create('a'));
    const database = newDatabase();
    expect(await tables(database)).toEqual(['_system_migrations', 'a']);
    expect(await database.all(sql('SELECT name FROM _system_migrations ORDER BY id'))).toEqual([
      { name: 'First1700000000001' },
      { name: 'Second1700000000002' },
    ]);
    await database.lifecycle.close();
    await write('1700000000003', 'Third', create('c'));
    expect(await tables(newDatabase())).toEqual(['_system_migrations', 'a', 'c']);
  });

  it('OPS-180 all of them fail together, and the database stays closed and as it was', async () => {
    await write('1700000000001', 'Good', create('a'));
    await write('1700000000002', 'Bad', `${create('b')} await runner.query('INSERT INTO nowhere VALUES (1)');`);
    const database = newDatabase();
    const message = await refusal(database);
    expect(message).toContain(directory.data);
    expect(message).toContain('no such table: nowhere');
    await rm(join(migrations, '1700000000001-good.js'));
    await rm(join(migrations, '1700000000002-bad.js'));
    expect(await tables(database)).toEqual([]);
  });

  it('OPS-180 may rebuild a table that others refer to', async () => {
    await write(
      '1700000000001',
      'Parents',
      `${create('parent')}
      await runner.query('CREATE TABLE child (p INTEGER REFERENCES parent (id) ON DELETE CASCADE)');
      await runner.query('INSERT INTO parent VALUES (1)');
      await runner.query('INSERT INTO child VALUES (1)');
      await runner.query('DROP TABLE parent');
      ${create('parent')}
      await runner.query('INSERT INTO parent VALUES (1)');`,
    );
    const database = newDatabase();
    expect(await database.all(sql('SELECT p FROM child'))).toEqual([{ p: 1 }]);
    await expect(database.run(sql('INSERT INTO child VALUES (2)'))).rejects.toMatchObject({ kind: 'foreignKey' });
  });

  it('OPS-181 a database of a newer version is refused, unchanged', async () => {
    await write('1700000000001', 'Known', create('a'));
    const database = newDatabase();
    await database.run(
      sql("INSERT INTO _system_migrations (timestamp, name) VALUES (1, 'FromTheFuture1900000000000')"),
    );
    await database.lifecycle.close();
    await write('1700000000002', 'Pending', create('b'));
    const message = await refusal(newDatabase());
    expect(message).toContain('FromTheFuture1900000000000');
    expect(message).toContain(directory.data);
    await rm(join(migrations, '1700000000002-pending.js'));
  });

  it('OPS-175 beside a running instance: fine when there is nothing to do', async () => {
    await write('1700000000001', 'First', create('a'));
    await lock.acquire();
    await newDatabase().lifecycle.open();
    expect(await tables(newDatabase(newLock()))).toEqual(['_system_migrations', 'a']);
  });

  it('OPS-175 beside a starting instance: waits until that one has applied them', async () => {
    await write('1700000000001', 'First', create('a'));
    await lock.acquire();
    const beside = tables(newDatabase(newLock()));
    await new Promise((resolve) => setTimeout(resolve, 150));
    await newDatabase().lifecycle.open();
    expect(await beside).toEqual(['_system_migrations', 'a']);
  });

  it('OPS-175 takes the lock only while migrating when nobody holds it', async () => {
    await write('1700000000001', 'First', create('a'));
    await newDatabase().lifecycle.open();
    const other = newLock();
    expect(await other.tryAcquire()).toBe(true);
    await other.release();
  });

  it('run separately for both databases, also when they open at once', async () => {
    await write('1700000000001', 'First', create('a'));
    const config = testConfig(directory.path);
    const parts = { part: 'auxiliary', config, directory, lock, migrations } as const;
    const auxiliary = createDatabase(AuxiliaryDatabase, parts);
    opened.push(auxiliary);
    const [data, logs] = await Promise.all([tables(newDatabase()), tables(auxiliary)]);
    expect([data, logs]).toEqual([
      ['_system_migrations', 'a'],
      ['_system_migrations', 'a'],
    ]);
  });

  it('a file whose class has another number is refused', async () => {
    await writeFile(join(migrations, '1700000000001-x.js'), 'export class X1700000000002 { async up() {} }');
    await expect(newDatabase().lifecycle.open()).rejects.toThrow(/1700000000001-x\.js/);
  });

  it('OPS-180 of this version make an empty directory ready', async () => {
    migrations = migrationsFolder('data');
    expect(await tables(newDatabase())).toEqual(
      expect.arrayContaining(['_collections', '_params', '_system_migrations']),
    );
  });
});

describe('a damaged database', () => {
  it('OPS-198 is refused when it opens, by its name', async () => {
    await directory.prepare();
    await writeFile(directory.data, 'something else entirely, and rather long '.repeat(200));
    const message = await refusal(newDatabase());
    expect(message).toContain(directory.data);
  });

  it('OPS-198 is reported by the statement that finds out', async () => {
    const database = newDatabase();
    // By which a file is known as Roost's.
    await database.run(sql('CREATE TABLE _system_migrations (id, timestamp, name)'));
    await database.run(sql('CREATE TABLE t (a)'));
    await database.run(
      sql(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO t SELECT 'text' || i FROM n",
      ),
    );
    await database.lifecycle.close();
    const { open } = await import('node:fs/promises');
    const file = await open(directory.data, 'r+');
    await file.write(Buffer.alloc(8192, 0xff), 0, 8192, 8192);
    await file.close();
    const reported: string[] = [];
    database.watch.onDamage((error) => reported.push(error.kind));
    await database.lifecycle.open();
    await expect(database.all(sql('SELECT sum(length(a)) FROM t'))).rejects.toMatchObject({ kind: 'corrupt' });
    expect(reported).toEqual(['corrupt']);
  });
});
