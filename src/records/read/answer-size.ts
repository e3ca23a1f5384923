import type { RecordModel } from '../../kernel/records/record-model.js';

/** Bytes of one character in a value and in the text made of it. */
export const BYTES_PER_CHARACTER = 2;
/** Overhead of a value or a record. */
const BYTES_PER_VALUE = 32;

/**
 * An estimate of the bytes an answer takes while it is made: the values, and the text, in which a related record stands
 * as often as records lead to it.
 */
export function answerSize(records: readonly RecordModel[]): number {
  let size = 0;
  const known = new Map<RecordModel, number>();
  for (const record of records) size += record.expand ? sizeWithRelated(record, known) : sizeOf(record);
  return size;
}

function sizeWithRelated(record: RecordModel, known: Map<RecordModel, number>): number {
  let size = known.get(record);
  if (size !== undefined) return size;
  size = sizeOf(record);
  const { expand = {} } = record;
  for (const step of Object.keys(expand)) {
    for (const related of [expand[step]!].flat()) size += sizeWithRelated(related as RecordModel, known);
  }
  known.set(record, size);
  return size;
}

function sizeOf(record: RecordModel): number {
  const { characters, values } = record.stored;
  return characters * BYTES_PER_CHARACTER + values * BYTES_PER_VALUE;
}
