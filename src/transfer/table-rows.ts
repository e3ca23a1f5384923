import type { CompiledSql } from '../database/compiled-sql.js';
import { Database } from '../database/database.js';
import { isFault } from '../database/database.error.js';
import type { PreparedStatement, BoundStatement, ValuePlace } from '../kernel/sql/prepared-statement.js';
import type { SqlNode, SqlStatement } from '../kernel/sql/sql-node.js';
import { and, call, column, compare, table as from, ZERO } from '../kernel/sql/sql.js';
import { CopyError } from './copy.error.js';
import type { CopiedRow, CopiedTable } from './copied-table.js';
import { RowsDigest } from './copied-values.js';

/** Rows that are looked at together, and how many bytes of them are held at a time, unless one of them has more. */
const PAGE = 500;
const PAGE_BYTES = 8 * 1024 * 1024;

/** SQLite takes 32,766 values in a statement. */
const MOST_VALUES = 30_000;

/** Rows of one statement: few sizes, so that few statements have to be prepared. */
const MOST_ROWS = 256;

/** No column is called like these. */
const PLACE = 'the place';
const BYTES = 'the bytes';

interface Outline {
  readonly [PLACE]: number | string;
  readonly [BYTES]: number;
}

/** The rows of one table of one database. */
export class TableRows {
  constructor(
    private readonly database: Database,
    private readonly table: CopiedTable,
  ) {}

  /** All rows in their order, in pages whose length depends on the size of the rows, which is read before. */
  async *pages(): AsyncGenerator<readonly CopiedRow[]> {
    let after = this.table.orderType === 'number' ? Number.MIN_SAFE_INTEGER : '';
    for (;;) {
      const outline = await this.database.all<Outline>(this.outlineAfter(after));
      for (const last of endsOfPages(outline)) {
        yield await this.database.all<CopiedRow>(this.rowsBetween(after, last));
        after = last;
      }
      if (outline.length < PAGE) return;
    }
  }

  /** The checksum of all rows. */
  async digest(): Promise<RowsDigest> {
    const digest = new RowsDigest(this.table);
    for await (const rows of this.pages()) digest.add(rows);
    return digest;
  }

  /** Adds rows in this order, in the ambient transaction. Throws a CopyError that names a row which is refused. */
  async add(rows: readonly CopiedRow[]): Promise<void> {
    const most = Math.min(MOST_ROWS, Math.max(1, Math.floor(MOST_VALUES / this.table.columns.length)));
    for (let start = 0; start < rows.length;) {
      const size = 2 ** Math.floor(Math.log2(Math.min(most, rows.length - start)));
      const part = rows.slice(start, start + size);
      try {
        await this.insert(part);
      } catch (error) {
        throw await this.explained(part, error);
      }
      start += size;
    }
  }

  /** As `add`; gives those that were not refused. */
  async addAllowed(rows: readonly CopiedRow[]): Promise<readonly CopiedRow[]> {
    try {
      await this.database.transaction(() => this.add(rows));
      return rows;
    } catch (error) {
      if (!(error instanceof CopyError)) throw error;
    }
    const added: CopiedRow[] = [];
    for (const row of rows) {
      try {
        await this.insert([row]);
        added.push(row);
      } catch (error) {
        if (isFault(error)) throw error;
      }
    }
    return added;
  }

  async clear(): Promise<void> {
    await this.database.run({ kind: 'delete', from: this.table.name });
  }

  /** In a savepoint, so that the transaction can go on when it fails. */
  private async insert(rows: readonly CopiedRow[]): Promise<void> {
    await this.database.transaction(() => this.database.run(this.insertOf(rows)));
  }

  private insertOf(rows: readonly CopiedRow[]): CompiledSql {
    const { table } = this;
    const { dialect } = this.database;
    // For a single row the error of an ordinary INSERT is clearer.
    const listed = rows.length > 1 ? dialect.insertOfRows?.(table.name, table.columns, rows) : undefined;
    if (listed) return listed;
    const statement = this.statement(`insert ${rows.length}`, (place) => ({
      kind: 'insert',
      into: table.name,
      columns: table.columns.map(({ name }) => name),
      rows: rows.map(() => table.columns.map(({ type }) => place(type))),
    }));
    return statement.with(rows.flatMap((row) => table.columns.map(({ name }) => row[name] ?? null)));
  }

  private async explained(rows: readonly CopiedRow[], error: unknown): Promise<unknown> {
    if (isFault(error)) return error;
    for (const row of rows) {
      try {
        await this.insert([row]);
      } catch (refusal) {
        if (isFault(refusal)) return refusal;
        const { message, cause } = refusal as Error;
        const reason = cause instanceof Error ? cause.message : message;
        const id = String(row['id'] ?? row[this.table.columns[0]!.name]);
        return new CopyError(`The row ${id} of ${this.table.name} was refused: ${reason}`, { cause: refusal });
      }
    }
    return error;
  }

  private outlineAfter(after: number | string): BoundStatement {
    const { order, name, orderType } = this.table;
    const statement = this.statement('outline', (place) => ({
      kind: 'select',
      columns: [
        { value: order, as: PLACE },
        { value: this.bytes(), as: BYTES },
      ],
      from: from(name),
      where: compare(order, '>', place(orderType)),
      order: [{ value: order, descending: false }],
      limit: PAGE,
    }));
    return statement.with([after]);
  }

  private rowsBetween(after: number | string, last: number | string): BoundStatement {
    const { order, name, orderType, columns } = this.table;
    const statement = this.statement('rows', (place) => ({
      kind: 'select',
      columns: columns.map((each) => ({ value: column(name, each.name, each.type), as: each.name })),
      from: from(name),
      where: and(compare(order, '>', place(orderType)), compare(order, '<=', place(orderType))),
      order: [{ value: order, descending: false }],
    }));
    return statement.with([after, last]);
  }

  /** Numbers and truths are small. */
  private bytes(): SqlNode {
    const { name, columns } = this.table;
    return columns
      .filter(({ type }) => type !== 'number' && type !== 'boolean')
      .map((each) => call('coalesce', call('byteLength', column(name, each.name, each.type)), ZERO))
      .reduce((sum, each) => call('plus', sum, each), ZERO);
  }

  private statement(shape: string, build: (place: ValuePlace) => SqlStatement): PreparedStatement {
    return this.database.statements.of(this.table, shape, build);
  }
}

/** The places of the rows that are the last ones of a page. */
function endsOfPages(outline: readonly Outline[]): (number | string)[] {
  const ends: (number | string)[] = [];
  let bytes = 0;
  for (const [index, row] of outline.entries()) {
    bytes += row[BYTES];
    const next = outline[index + 1];
    if (next && bytes + next[BYTES] <= PAGE_BYTES) continue;
    ends.push(row[PLACE]);
    bytes = 0;
  }
  return ends;
}
