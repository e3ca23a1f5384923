import { Injectable } from '@nestjs/common';
import { columnsOf, table } from '../kernel/sql/sql.js';
import { Database } from './database.js';

const TABLE = '_versions';

/** A table whose changes are counted. */
export type CountedTable = '_collections' | '_params';

interface Row {
  readonly table: CountedTable;
  readonly number: number;
}

/**
 * Version numbers that the database itself increments with every change of a table: a cheap way to tell whether what is
 * cached of it is valid.
 */
@Injectable()
export class StoredVersions {
  private known: { readonly at: number; readonly rows: Promise<readonly Row[]> } | undefined;

  constructor(private readonly database: Database) {}

  /** Changes when the table has changed, or when another database has replaced this one. */
  async of(name: CountedTable): Promise<string> {
    const row = (await this.rows()).find((each) => each.table === name);
    return `${this.database.lifecycle.openings}.${row!.number}`;
  }

  /** Shared by those that ask after the same commit. */
  private rows(): Promise<readonly Row[]> {
    const { version } = this.database.reads;
    if (this.known && version === this.known.at) return this.known.rows;
    const rows = this.database.all<Row>({
      kind: 'select',
      columns: columnsOf(TABLE, { table: 'text', number: 'number' }),
      from: table(TABLE),
    });
    this.known = version === undefined ? undefined : { at: version, rows };
    rows.catch(() => (this.known = undefined));
    return rows;
  }
}
