import type BetterSqlite3 from 'better-sqlite3';
import { BetterSqlite3Driver } from '../../src/database/sqlite/better-sqlite3-driver.js';
import { loadDriver } from '../../src/database/sqlite/load-driver.js';

/** What the default driver is on this Node.js, for tests that look into a file themselves. */
export const Sqlite = loadDriver<typeof BetterSqlite3>(new BetterSqlite3Driver().packageName);
