/**
 * The process behind a KillableConnection: one database connection that may be killed in the middle of a statement.
 * Plain JavaScript without imports of ours, because it is started as a file of its own, compiled or not.
 *
 * It answers one request at a time. A script that writes is committed only when the parent says so, after it has
 * seen the result: whatever happens to either process before that, nothing is stored.
 */
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';

const require = createRequire(import.meta.url);

/** Ends this process when its parent has died while a statement keeps this thread busy. */
const WATCHDOG = `
const parent = require('node:worker_threads').workerData;
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, 500);
`;

/**
 * Characters of values or rows after which garbage is collected at once: V8 would otherwise hold several times as much.
 */
const LARGE = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

let connection;

const OPENERS = { 'better-sqlite3': openBetterSqlite3, sqlite3: openSqlite3 };

const HANDLERS = {
  async open({ driver, packageName, file, readonly, busyTimeout, pragmas }) {
    connection = await OPENERS[driver](require(packageName), file, readonly, busyTimeout);
    for (const pragma of pragmas) await connection.exec(`PRAGMA ${pragma}`);
  },
  all: ({ sql, params }) => connection.all(sql, params),
  rows: ({ sql, rows }) => connection.runEach(sql, rows),
  execute: ({ sql, params }) => connection.execute(sql, params),
  inTransaction: () => connection.inTransaction(),
  script: ({ statements, most }) => runScript(statements, most),
  begin: () => connection.exec('BEGIN IMMEDIATE'),
  commit: () => connection.exec('COMMIT'),
  rollback: () => connection.exec('ROLLBACK'),
};

async function runScript(statements, most) {
  const last = statements.at(-1);
  for (const statement of statements.slice(0, -1)) await connection.run(statement);
  return most ? connection.table(last, most) : { columns: [], rows: [], changes: await connection.run(last) };
}

function openBetterSqlite3(Database, file, readonly, timeout) {
  const db = new Database(file, { readonly, timeout });
  const nullable = db.prepare('SELECT "notnull" = 0 AND pk = 0 FROM pragma_table_info(?) WHERE name = ?').pluck();
  let repeated;
  return {
    exec: (sql) => void db.exec(sql),
    all: (sql, params) => db.prepare(sql).all(params),
    runEach(sql, rows) {
      // Many rows come in parts, and preparing a long statement takes as long as running it.
      if (repeated?.source !== sql) repeated = db.prepare(sql);
      for (const row of rows) repeated.run(row);
    },
    execute(sql, params) {
      const statement = db.prepare(sql);
      if (!statement.reader) {
        const { changes, lastInsertRowid } = statement.run(params);
        return { rows: [], changes, lastInsertId: Number(lastInsertRowid) };
      }
      const rows = statement.all(params);
      return { rows, changes: statement.readonly ? 0 : rows.length, lastInsertId: 0 };
    },
    inTransaction: () => db.inTransaction,
    run(sql) {
      const statement = db.prepare(sql);
      if (!statement.reader) return statement.run().changes;
      let rows = 0;
      for (const _ of statement.iterate()) rows += 1;
      return statement.readonly ? 0 : rows;
    },
    table(sql, most) {
      const statement = db.prepare(sql);
      if (!statement.reader) return { columns: [], rows: [], changes: statement.run().changes };
      const columns = statement.columns().map(({ name, type, table, column }) => ({
        name,
        type: type ?? '',
        nullable: table === null || nullable.get(table, column) !== 0,
      }));
      const rows = [];
      const room = new Room(most.bytes);
      for (const row of statement.raw().safeIntegers().iterate()) {
        room.take(row);
        if (rows.push(row) >= most.rows) break;
      }
      return { columns, rows, changes: 0 };
    },
  };
}

async function openSqlite3(sqlite3, file, readonly, timeout) {
  const mode = readonly ? sqlite3.OPEN_READONLY : sqlite3.OPEN_READWRITE;
  const db = await new Promise((resolve, reject) => {
    const opened = new sqlite3.Database(file, mode, (error) => (error ? reject(error) : resolve(opened)));
  });
  db.configure('busyTimeout', timeout);
  const call = (method, ...args) =>
    new Promise((resolve, reject) => {
      db[method](...args, function (error, rows) {
        if (error) reject(error);
        else resolve(rows ?? this);
      });
    });
  return {
    exec: async (sql) => void (await call('exec', sql)),
    all: (sql, params) => call('all', sql, params),
    async runEach(sql, rows) {
      for (const row of rows) await call('run', sql, row);
    },
    async run(sql) {
      const before = await countChanges();
      // Every row is fetched: what RETURNING changed is counted when its last row has been seen.
      await call('all', sql);
      const after = await countChanges();
      // A statement that changes no row leaves the count of the one before it.
      return after.total === before.total ? 0 : after.changes;
    },
    async table(sql, most) {
      const columns = await describe(sql);
      // A row comes as an object, with room for one column of each name. Of a subquery all have names of their own.
      const hasTwins = columns.some(({ name }) => /:\d+$/.test(name));
      const rows = await firstRows(db, hasTwins ? `SELECT * FROM (${sql}\n)` : sql, most);
      const names = columns.length > 0 ? columns.map(({ name }) => name) : Object.keys(rows[0] ?? {});
      return {
        columns: columns.length > 0 ? columns : names.map((name) => ({ name, type: '', nullable: true })),
        rows: rows.map((row) => Object.values(row)),
        changes: 0,
      };
    },
  };

  function countChanges() {
    return call('get', 'SELECT changes() AS changes, total_changes() AS total');
  }

  /** The driver does not tell the columns of a result; a temporary view over the statement does. */
  async function describe(sql) {
    try {
      await call('exec', `CREATE TEMP VIEW "_columns" AS ${sql}`);
    } catch {
      return [];
    }
    const columns = await call('all', "SELECT name, type FROM pragma_table_info('_columns', 'temp')");
    await call('exec', 'DROP VIEW temp."_columns"');
    return columns.map(({ name, type }) => ({ name, type, nullable: true }));
  }
}

/** What the rows of a script may have: they are in memory here and there at the same time (OPS-39). */
class Room {
  #bytes;
  #left;

  constructor(bytes) {
    this.#bytes = this.#left = bytes;
  }

  /** Throws when a row is too much. */
  take(row) {
    for (const value of row) this.#left -= value?.length ?? 0;
    if (this.#left >= 0) return;
    const message = `The rows are more than ${this.#bytes / 2 ** 20} MiB. Ask for fewer, or for less of each.`;
    throw Object.assign(new Error(message), { code: 'SQLITE_TOOBIG' });
  }
}

/** Steps through the result, so that a million rows are not fetched for the sake of the first thousand. */
function firstRows(db, sql, most) {
  return new Promise((resolve, reject) => {
    const rows = [];
    const room = new Room(most.bytes);
    const statement = db.prepare(sql, (error) => (error ? reject(error) : step()));
    const end = (error) => statement.finalize(() => (error ? reject(error) : resolve(rows)));
    const step = () =>
      statement.get((error, row) => {
        if (row === undefined) return end(error);
        try {
          room.take(Object.values(row));
        } catch (tooLarge) {
          return end(tooLarge);
        }
        return rows.push(row) < most.rows ? step() : end();
      });
  });
}

/** `asked` are the values of the statement. */
function answer(message, asked = []) {
  const isLarge = charactersIn([asked]) + charactersIn(message.result) > LARGE;
  // A parent that has died is heard of by 'disconnect'.
  process.send(message, () => isLarge && setImmediate(collectGarbage));
}

/** Of rows, which are objects or lists; anything else is small. */
function charactersIn(rows) {
  let count = 0;
  if (!Array.isArray(rows)) return count;
  for (const row of rows) {
    for (const name in row) if (typeof row[name] === 'string') count += row[name].length;
  }
  return count;
}

async function serve({ id, kind, ...request }) {
  const started = performance.now();
  try {
    const result = await HANDLERS[kind](request);
    answer({ id, result, milliseconds: performance.now() - started }, request.params);
  } catch (error) {
    answer({ id, error: { message: error.message, code: error.code } }, request.params);
  }
}

process.on('message', (message) => void serve(message));
// exit() would wait for a statement that runs on the thread pool.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

new Worker(WATCHDOG, { eval: true, workerData: Number(process.argv[2]) }).unref();
