import type { FileDefinition } from '../kernel/fields/file-field.js';
import type { RecordModel } from '../kernel/records/record-model.js';

/** The field of a record in whose value the name of a file stands. */
export function fieldWithFile(record: RecordModel, fileName: string): FileDefinition | undefined {
  const { collection } = record;
  const field = collection.fields.find(
    (candidate) => collection.typeOf(candidate).holdsFiles && namesIn(record, candidate.name).includes(fileName),
  );
  return field as FileDefinition | undefined;
}

/** The names of the files in a field of a record. */
export function namesIn(record: RecordModel, field: string): readonly unknown[] {
  return [record.get(field)].flat();
}
