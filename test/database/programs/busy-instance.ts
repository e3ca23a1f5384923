import { DataDirectory } from '../../../src/database/data-directory.js';
import { Database } from '../../../src/database/database.js';
import { DataDirLock } from '../../../src/database/sqlite/data-dir-lock.js';
import { SqliteDialect, sqliteDriver } from '../../../src/database/sqlite/sqlite-dialect.js';

/**
 * An instance that holds its data directory and writes pairs of rows without end. It prints the number of each pair
 * once it is committed; on a failure it prints the reason and ends with code 1.
 */
const [dir = '', driverName] = process.argv.slice(2);
const driver = sqliteDriver(driverName === 'sqlite3' ? 'sqlite3' : 'better-sqlite3');
const directory = new DataDirectory(dir);
const database = new Database(new SqliteDialect({ file: directory.data, driver, queryTimeout: 30 }));

const insert = (pair: number, half: string): Promise<unknown> =>
  database.run({ sql: 'INSERT INTO pairs VALUES (?, ?)', params: [pair, half], writes: ['pairs'] });

try {
  await new DataDirLock(directory, driver, { unsafeNoLock: false }).acquire();
  await database.run({ sql: 'CREATE TABLE IF NOT EXISTS pairs (pair, half)', params: [] });
  const last = await database.get<{ pair: number | null }>({ sql: 'SELECT max(pair) AS pair FROM pairs', params: [] });
  for (let pair = (last?.pair ?? 0) + 1; ; pair++) {
    await database.transaction(async () => {
      await insert(pair, 'first');
      await new Promise((resolve) => setTimeout(resolve, 2));
      await insert(pair, 'second');
    });
    process.stdout.write(`${pair}\n`);
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
