import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import type { SqlNode } from '../kernel/sql/sql-node.js';
import { column, columnsOf, compare, param, table } from '../kernel/sql/sql.js';
import type { SqlSnippet, SqlSnippetDto } from './sql-snippet.dto.js';

const TABLE = '_sqlSnippets';
/** More would not be usable in a menu. */
const MAX_SNIPPETS = 500;

const isNamed = (name: string): SqlNode => compare(column(TABLE, 'name'), '=', param(name));

/** Statements that superusers have saved by name, shared by all of them (UI-81). */
@Injectable()
export class SqlSnippetsService {
  constructor(private readonly database: Database) {}

  /** By name. */
  find(): Promise<SqlSnippet[]> {
    return this.database.all<SqlSnippet>({
      kind: 'select',
      columns: columnsOf(TABLE, { name: 'text', query: 'text' }),
      from: table(TABLE),
      order: [{ value: column(TABLE, 'name'), descending: false }],
    });
  }

  /** Keeps a statement in the place of what had its name. Throws a BadRequestError where there are too many. */
  save({ name, query }: SqlSnippetDto): Promise<SqlSnippet> {
    return this.database.transaction(async () => {
      await this.database.lock('snippets');
      await this.database.run({ kind: 'delete', from: TABLE, where: isNamed(name) });
      if ((await this.find()).length >= MAX_SNIPPETS) {
        throw new BadRequestError(`More than ${MAX_SNIPPETS} snippets are not kept.`);
      }
      const row = [param(name), param(query)];
      await this.database.run({ kind: 'insert', into: TABLE, columns: ['name', 'query'], rows: [row] });
      return { name, query };
    });
  }

  /** Throws 404 when there is none of this name. */
  async delete(name: string): Promise<void> {
    const { rows } = await this.database.run<{ name: string }>({
      kind: 'delete',
      from: TABLE,
      where: isNamed(name),
      returning: columnsOf(TABLE, { name: 'text' }),
    });
    if (rows.length === 0) throw new NotFoundError();
  }
}
