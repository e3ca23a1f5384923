import type { Collection } from '../../kernel/collections/collection.js';
import { RecordModel, type RecordRow } from '../../kernel/records/record-model.js';
import { boundedColumns, isAnyNarrowed, isNarrowed } from '../../kernel/resolve/narrow-columns.js';
import type { SqlSelect } from '../../kernel/sql/sql-node.js';

/** Records that are read at once to be changed or deleted, at most. */
export const RUN = 200;
/** So many first, and behind records with long values: the columns after those are found by walking through them. */
export const FIRST_RUN = 20;
/** Bytes of long values that are read at once, if they are of more than one record. */
export const RUN_BYTES = 2 * 1024 * 1024;

/** What is read of `RUN` rows, so that any number of any width fits in memory (REL-5). */
export function runColumns(collection: Collection): SqlSelect['columns'] {
  return boundedColumns(collection, RUN, RUN_BYTES);
}

/** How many rows to read after these. */
export function nextRun(collection: Collection, rows: readonly RecordRow[]): number {
  return isAnyNarrowed(collection, rows) ? FIRST_RUN : RUN;
}

/** The records of such rows, as many at a time as were read whole, and the id of each that has to be read by itself. */
export function* runsOf(
  collection: Collection,
  rows: readonly RecordRow[],
): Generator<readonly RecordModel[] | string> {
  let run: RecordModel[] = [];
  for (const row of rows) {
    if (!isNarrowed(collection, row)) {
      run.push(RecordModel.fromRow(collection, row));
      continue;
    }
    if (run.length > 0) yield run;
    run = [];
    yield row['id'] as string;
  }
  if (run.length > 0) yield run;
}
