import { LRUCache } from 'lru-cache';

const REMEMBERED = 500;
const INSERT =
  /^\s*INSERT\s+(?:OR\s+\w+\s+)?INTO\s+"(?:[^"]|"")*"\s*\(((?:"(?:[^"]|"")*"(?:,\s*)?)+)\)\s*VALUES\s*\([?,\s]*\)\s*$/i;
const UPDATE = /^\s*UPDATE\s+"(?:[^"]|"")*"\s+SET\s+((?:"(?:[^"]|"")*"\s*=\s*\?(?:,\s*)?)+)/i;
const NAME = /"((?:[^"]|"")*)"/g;

const known = new LRUCache<string, readonly string[]>({ max: REMEMBERED });

/**
 * The columns that the first of a statement's values are stored in, where it says so in the plainest form; otherwise
 * none, and any value may be stored in any column.
 */
export function columnsWritten(sql: string): readonly string[] {
  let columns = known.get(sql);
  if (columns === undefined) {
    const list = (INSERT.exec(sql) ?? UPDATE.exec(sql))?.[1] ?? '';
    columns = [...list.matchAll(NAME)].map(([, name]) => name!.replaceAll('""', '"'));
    known.set(sql, columns);
  }
  return columns;
}
