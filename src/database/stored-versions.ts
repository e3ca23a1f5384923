import { Injectable } from '@nestjs/common';
import { column, columnsOf, compare, param, table } from '../kernel/sql/sql.js';
import { Database } from './database.js';

const TABLE = '_versions';

/**
 * Numbers that the database itself counts up with every change of a table, whoever makes it: they tell at little cost
 * whether what is kept of the table in memory is still good.
 */
@Injectable()
export class StoredVersions {
  constructor(private readonly database: Database) {}

  /** Differs from an earlier one when the table has changed, or another database has come in the place of this one. */
  async of(name: '_collections' | '_params'): Promise<string> {
    const row = await this.database.get<{ number: number }>({
      kind: 'select',
      columns: columnsOf(TABLE, { number: 'number' }),
      from: table(TABLE),
      where: compare(column(TABLE, 'table'), '=', param(name)),
    });
    return `${this.database.lifecycle.openings}.${row!.number}`;
  }
}
