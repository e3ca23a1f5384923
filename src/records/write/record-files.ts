import { Injectable } from '@nestjs/common';
import type { Collection } from '../../kernel/collections/collection.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { RecordModel } from '../../kernel/records/record-model.js';
import { recordFolder } from '../../storage/file-keys.js';
import { FileRemovals } from '../../storage/file-removals.js';
import { type StagedFile, TransactionalFiles } from '../../storage/transactional-files.js';

/** Keeps the files of records in step with their rows (FILE-1 to FILE-3, FS-34). */
@Injectable()
export class RecordFiles {
  constructor(
    private readonly staged: TransactionalFiles,
    private readonly removals: FileRemovals,
  ) {}

  /** Stores the files that arrived with a record. Those that are stored already are not stored again. */
  store(record: RecordModel): MaybePromise<void> {
    if (record.hasUploads) return this.staged.stage(arrivals(record));
  }

  /** Removes what `store` stored outside of a transaction for a record that could not be written. */
  discard(record: RecordModel): Promise<void> {
    return this.staged.discard(arrivals(record));
  }

  /** Removes the files that an update has dropped, after commit. */
  dropReplaced(before: RecordModel, after: RecordModel): MaybePromise<void> {
    const names = fileNames(before);
    if (names.length === 0) return;
    const kept = new Set(fileNames(after));
    const dropped = names.filter((name) => !kept.has(name) && !/[/\\]/.test(name));
    if (dropped.length > 0) return this.removals.add(dropped.map((name) => folderOf(before) + name));
  }

  /** Removes all files of deleted records of one collection, after commit. */
  dropAll(collection: Collection, ids: Iterable<string>): MaybePromise<void> {
    if (!collection.fields.some((field) => collection.typeOf(field).holdsFiles)) return;
    return this.removals.add(Array.from(ids, (id) => recordFolder(collection.id, id)));
  }
}

function folderOf({ collection, id }: RecordModel): string {
  return recordFolder(collection.id, id);
}

function arrivals(record: RecordModel): StagedFile[] {
  return record.collection.fields.flatMap((field) =>
    record.uploads(field.name).map((upload) => ({ key: folderOf(record) + upload.name, upload })),
  );
}

/** The names of all files of a record. */
function fileNames(record: RecordModel): string[] {
  const { collection } = record;
  return collection.fields
    .filter((field) => collection.typeOf(field).holdsFiles)
    .flatMap((field) => record.get(field.name) as string | string[])
    .filter((name) => name !== '');
}
