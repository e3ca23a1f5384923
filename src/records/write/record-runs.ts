import type { Collection } from '../../kernel/collections/collection.js';
import { longBytesOf, longValueSizes, mayBeLong } from '../../kernel/resolve/narrow-columns.js';
import type { SqlSelect } from '../../kernel/sql/sql-node.js';
import { idOf } from '../record-rows.js';

/** Records of one run at most. */
export const RUN = 200;
/** Bytes that the long values of one run may have, if it is more than one record. */
export const RUN_BYTES = 2 * 1024 * 1024;

/** What `runsOf` has to know of rows. */
export function runColumns(collection: Collection): SqlSelect['columns'] {
  const id = { value: idOf(collection), as: 'id' };
  return mayBeLong(collection, RUN_BYTES / RUN) ? [id, ...longValueSizes(collection)] : [id];
}

/** The ids of rows in runs of which each can be read at once, so that any number of any width fits in memory (REL-5). */
export function* runsOf(
  collection: Collection,
  rows: readonly { readonly id: string }[],
): Generator<readonly string[]> {
  let run: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const size = longBytesOf(collection, row);
    if (run.length > 0 && bytes + size > RUN_BYTES) {
      yield run;
      [run, bytes] = [[], 0];
    }
    run.push(row.id);
    bytes += size;
  }
  if (run.length > 0) yield run;
}
