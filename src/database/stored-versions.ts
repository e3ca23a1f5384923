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
 * Numbers that the database itself counts up with every change of a table, whoever makes it: they tell at little cost
 * whether what is kept of the table in memory is still good.
 */
@Injectable()
export class StoredVersions {
  private known: { readonly at: number; readonly rows: Promise<readonly Row[]> } | undefined;

  constructor(private readonly database: Database) {}

  /** Differs from an earlier one when the table has changed, or another database has come in the place of this one. */
  async of(name: CountedTable): Promise<string> {
    const row = (await this.rows()).find((each) => each.table === name);
    return `${this.database.lifecycle.openings}.${row!.number}`;
  }

  /** Several ask after the same commit. */
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
