import type { Span } from '../filter/filter-node.js';
import { FilterError } from '../filter/filter.error.js';
import { isMacro } from '../filter/macros.js';
import { isIdentifier } from '../filter/token.js';

const MAX_KEYS = 8;
const MAX_KEY_BYTES = 255;
const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** One key of a sort: a field path that is still to be resolved, or one of the two special orders. */
export type SortKey =
  | { readonly kind: 'path'; readonly path: string; readonly descending: boolean; readonly span: Span }
  | { readonly kind: 'rowid'; readonly descending: boolean; readonly span: Span }
  | { readonly kind: 'random'; readonly span: Span };

/** The keys of a `sort` parameter, none for the empty text. Throws a FilterError for what can be no key of anything. */
export function parseSort(text: string): readonly SortKey[] {
  if (text === '') return [];
  const keys: SortKey[] = [];
  let start = 0;
  for (const part of text.split(',')) {
    const end = start + part.length;
    if (keys.length === MAX_KEYS) throw new FilterError(`More than ${MAX_KEYS} sort keys`, { start, end });
    keys.push(parseKey(part.trim(), start + part.length - part.trimStart().length));
    start = end + 1;
  }
  return keys;
}

function parseKey(key: string, start: number): SortKey {
  const descending = key.startsWith('-');
  const path = descending || key.startsWith('+') ? key.slice(1) : key;
  const span = { start: start + key.length - path.length, end: start + key.length };
  if (key.length > MAX_KEY_BYTES) throw new FilterError(`A sort key is longer than ${MAX_KEY_BYTES} bytes`, span);
  if (!isIdentifier(path)) throw new FilterError('A sort key must be a field', span);
  if (path === '@random') return { kind: 'random', span };
  if (path === '@rowid') return { kind: 'rowid', descending, span };
  if (isMacro(path) || LITERALS.has(path)) throw new FilterError(`${path} is nothing to sort by`, span);
  return { kind: 'path', path, descending, span };
}
