import type { RecordModel } from '../../kernel/records/record-model.js';

/** A character and its place in the text that is made of it. */
const BYTES_PER_CHARACTER = 2;
/** What else a value takes, and a record. */
const BYTES_PER_VALUE = 32;

/**
 * Bytes that an answer of records takes while it is made, roughly: their values, and the text, in which each related
 * record stands as often as others lead to it.
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
