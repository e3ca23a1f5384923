import { createHash, type Hash } from 'node:crypto';
import type { Dialect } from '../database/dialect.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { isJsonObject } from '../kernel/json-object.js';
import type { CopiedColumn, CopiedRow, CopiedTable } from './copied-table.js';

/**
 * Replaces values that are not of the type of their column, which other tools may have left, where the target refuses
 * them.
 */
export class Repairs {
  private readonly times = new Map<string, number>();

  constructor(
    private readonly table: CopiedTable,
    private readonly target: Pick<Dialect, 'hasTypedColumns'>,
  ) {}

  of(rows: readonly CopiedRow[]): readonly CopiedRow[] {
    return this.target.hasTypedColumns ? rows.map((row) => this.repaired(row)) : rows;
  }

  /** A line for each column that had such values. */
  lines(): string[] {
    return [...this.times].map(
      ([name, times]) => `collection ${this.table.name}, field ${name}: ${times} values were none of its type`,
    );
  }

  private repaired(row: CopiedRow): CopiedRow {
    const wrong = this.table.columns.filter(({ name, type, repair }) => repair && !fits(type, row[name] ?? null));
    if (wrong.length === 0) return row;
    for (const { name } of wrong) this.times.set(name, (this.times.get(name) ?? 0) + 1);
    return { ...row, ...Object.fromEntries(wrong.map(({ name, repair }) => [name, repair!(row[name] ?? null)])) };
  }
}

/**
 * A checksum over rows in their order, the same for every database: JSON counts by its value, because a database may
 * change the order of keys and the spaces.
 */
export class RowsDigest {
  count = 0;
  private readonly hash: Hash = createHash('sha256');
  private text: string | undefined;

  constructor(private readonly table: CopiedTable) {}

  add(rows: readonly CopiedRow[]): void {
    this.count += rows.length;
    for (const row of rows) {
      this.hash.update(
        `${JSON.stringify(this.table.columns.map(({ name, type }) => comparable(type, row[name] ?? null)))}\n`,
      );
    }
  }

  sum(): string {
    return (this.text ??= this.hash.digest('hex'));
  }
}

/** Names the row and column of the first difference, without the values, some of which are secret. */
export async function firstDifference(
  { columns }: CopiedTable,
  sources: AsyncIterable<readonly CopiedRow[]>,
  copies: AsyncGenerator<readonly CopiedRow[]>,
  asCopied: (rows: readonly CopiedRow[]) => readonly CopiedRow[],
): Promise<string> {
  let copied: CopiedRow[] = [];
  for await (const page of sources) {
    for (const row of asCopied(page)) {
      if (copied.length === 0) copied = [...(((await copies.next()).value ?? []) as readonly CopiedRow[])];
      const copy = copied.shift();
      if (!copy) return `the record ${String(row['id'])} is missing`;
      const column = columns.find(
        ({ name, type }) =>
          JSON.stringify(comparable(type, row[name] ?? null)) !== JSON.stringify(comparable(type, copy[name] ?? null)),
      );
      if (column) return `field ${column.name} of the record ${String(row['id'])} has another value`;
    }
  }
  return 'there are more records than before';
}

function fits(type: CopiedColumn['type'], value: SqlValue): boolean {
  switch (type) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return value === 0 || value === 1;
    case 'json':
      return value === null || parsed(value) !== undefined;
    case 'array':
      return Array.isArray(parsed(value));
    case 'geoPoint':
      return isJsonObject(parsed(value));
  }
}

/** A value in the form in which databases agree: that of JSON without its spelling; no JSON counts as text. */
function comparable(type: CopiedColumn['type'], value: SqlValue): unknown {
  if (value === null) return null;
  if (type === 'text') return String(value);
  if (type === 'number' || type === 'boolean') return typeof value === 'bigint' ? String(value) : value;
  return withSortedKeys(parsed(value) ?? String(value));
}

function parsed(value: SqlValue): unknown {
  try {
    return JSON.parse(String(value)) as unknown;
  } catch {
    return undefined;
  }
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (!isJsonObject(value)) return value;
  const pairs = Object.keys(value)
    .sort()
    .map((key) => [key, withSortedKeys(value[key])]);
  return { pairs };
}
