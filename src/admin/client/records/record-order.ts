import type { RecordModel } from 'pocketbase';

interface SortKey {
  readonly path: readonly string[];
  readonly descending: boolean;
}

function keysOf(sort: string): SortKey[] {
  return sort
    .split(',')
    .map((text) => text.trim())
    .filter(Boolean)
    .map((text) => ({ path: text.replace(/^[-+]/, '').split('.'), descending: text.startsWith('-') }));
}

/** The value behind a path, through expanded relations. */
function valueAt(record: RecordModel, [name, ...rest]: readonly string[]): unknown {
  if (rest.length === 0) return record[name!];
  const related = (record.expand as Record<string, RecordModel> | undefined)?.[name!];
  return related && !Array.isArray(related) ? valueAt(related, rest) : undefined;
}

function rank(value: unknown): number {
  if (value === null || value === undefined) return 0;
  return typeof value === 'number' || typeof value === 'boolean' ? 1 : 2;
}

function compare(a: unknown, b: unknown): number {
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (rank(a) === 1) return Number(a) - Number(b);
  const [left, right] = [String(a ?? ''), String(b ?? '')];
  return left === right ? 0 : left < right ? -1 : 1;
}

/**
 * Where a record belongs among those that are loaded, by the server's order: nothing, then numbers, then texts by
 * bytes, and of equal ones the later one last. Without an order of one's own the newest comes first.
 */
export function positionOf(record: RecordModel, records: readonly RecordModel[], sort: string): number {
  const keys = keysOf(sort);
  const [first] = keys;
  if (!first || first.path[0] === '@rowid') return !first || first.descending ? 0 : records.length;
  if (first.path[0]!.startsWith('@')) return 0;
  const isBefore = (other: RecordModel) => {
    for (const { path, descending } of keys) {
      const order = compare(valueAt(record, path), valueAt(other, path));
      if (order !== 0) return descending ? order > 0 : order < 0;
    }
    return false;
  };
  const index = records.findIndex(isBefore);
  return index < 0 ? records.length : index;
}
