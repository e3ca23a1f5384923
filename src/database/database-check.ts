import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { messageOf } from '../kernel/errors/message-of.js';
import { DataDirectoryError } from './data-directory.error.js';
import { KillableConnection } from './sqlite/killable-connection.js';
import { BUSY_TIMEOUT } from './sqlite/prepare-database.js';
import { sqliteDriver } from './sqlite/sqlite-dialect.js';
import { knownMigrations, migrationsFolder } from './system-migrator.js';

/** Finds out whether a file that came from elsewhere could be the database of this version. */
@Injectable()
export class DatabaseCheck {
  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /**
   * Throws a DataDirectoryError that says what is wrong: it is damaged, it is no database of Roost, or a newer version
   * has made it. Runs in a process of its own, because looking at a large file takes its time.
   */
  async require(file: string): Promise<void> {
    const connection = await this.connect(file).catch((error: unknown) => {
      throw notUsable(messageOf(error));
    });
    try {
      const all = async (sql: string) =>
        (await connection.request<Record<string, string>[]>({ kind: 'all', sql, params: [] })).result;
      const faults = (await all('PRAGMA quick_check(1)')).map((row) => Object.values(row)[0]);
      if (faults[0] !== 'ok') throw notUsable(`it is damaged (${faults[0] ?? 'no answer'})`);
      const applied = (await all('SELECT name FROM _system_migrations')).map(({ name }) => name!);
      await this.requireKnown(applied);
    } catch (error) {
      throw error instanceof DataDirectoryError ? error : notUsable(messageOf(error));
    } finally {
      await connection.kill();
    }
  }

  /** Throws a DataDirectoryError when system migrations are not known to this version. */
  async requireKnown(migrations: readonly string[]): Promise<void> {
    const known = new Set(await knownMigrations(migrationsFolder('data')));
    const unknown = migrations.filter((name) => !known.has(name));
    if (unknown.length > 0) throw notUsable(`it was made by a newer version (${unknown.join(', ')})`);
  }

  /** The name of the last system migration that was applied to a database. */
  async lastMigration(file: string): Promise<string> {
    const connection = await this.connect(file);
    try {
      const sql = 'SELECT name FROM _system_migrations ORDER BY id DESC LIMIT 1';
      const { result } = await connection.request<{ name: string }[]>({ kind: 'all', sql, params: [] });
      return result[0]?.name ?? '';
    } finally {
      await connection.kill();
    }
  }

  /**
   * The first of these tables that has a value, neither '' nor an empty list, in its column; columns may be missing.
   */
  async tableWithValues(
    file: string,
    columns: readonly { readonly table: string; readonly column: string }[],
  ): Promise<string | undefined> {
    const connection = await this.connect(file);
    const finds = async (sql: string, params: readonly unknown[]) =>
      (await connection.request<unknown[]>({ kind: 'all', sql, params })).result.length > 0;
    try {
      for (const { table, column } of columns) {
        if (!(await finds('SELECT 1 FROM pragma_table_info(?) WHERE name = ?', [table, column]))) continue;
        const [from, value] = [table, column].map((name) => `"${name.replaceAll('"', '""')}"`);
        if (await finds(`SELECT 1 FROM ${from} WHERE ${value} NOT IN ('', '[]') LIMIT 1`, [])) return table;
      }
      return undefined;
    } finally {
      await connection.kill();
    }
  }

  private connect(file: string): Promise<KillableConnection> {
    const driver = sqliteDriver(this.config.databaseDriver);
    return KillableConnection.start({ driver, file, readonly: true, busyTimeout: BUSY_TIMEOUT, pragmas: [] });
  }
}

function notUsable(reason: string): DataDirectoryError {
  return new DataDirectoryError(`The database in the backup cannot be used: ${reason}.`);
}
