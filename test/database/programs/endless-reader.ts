import { Database } from '../../../src/database/database.js';
import { SqliteDialect, sqliteDriver } from '../../../src/database/sqlite/sqlite-dialect.js';

/** Runs a statement without end in a process of its own, and says so when that is under way. */
const [file = '', driverName] = process.argv.slice(2);
const driver = sqliteDriver(driverName === 'sqlite3' ? 'sqlite3' : 'better-sqlite3');
const database = new Database(new SqliteDialect({ file, driver, queryTimeout: 600 }));
const text = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';
await database.lifecycle.open();
setTimeout(() => process.stdout.write('reading\n'), 1000);
await database.all({ sql: text, params: [] });
