import { Injectable, Logger } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import type { Collection } from '../kernel/collections/collection.js';
import { collectionFolder, recordFolder } from '../storage/file-keys.js';
import { FileRemovals } from '../storage/file-removals.js';
import { UnsettledFiles } from '../storage/unsettled-files.js';
import { fileNames } from './record-files.js';
import { RecordRows } from './record-rows.js';

/** Deletes what a process that was killed had stored for nobody, or had not come to delete (FS-36, FS-96). */
@Injectable()
export class InterruptedFiles {
  private readonly logger = new Logger('Storage');

  constructor(
    private readonly unsettled: UnsettledFiles,
    private readonly removals: FileRemovals,
    private readonly collections: CollectionStore,
    private readonly rows: RecordRows,
  ) {}

  /** Decides on everything that is in the journal; the files go in the background. Before there are any requests. */
  async clear(): Promise<void> {
    const left = await this.unsettled.open();
    if (left.length === 0) return;
    try {
      for (const [collectionId, names] of byCollection(left)) {
        await this.clearCollection(this.collections.catalog.findById(collectionId), names);
      }
      this.unsettled.compact();
    } catch (error) {
      this.logger.warn(`Files that an interrupted process left could not be looked through: ${String(error)}`);
    }
  }

  private async clearCollection(collection: Collection | undefined, names: readonly string[]): Promise<void> {
    const wanted = new Set<string>();
    if (collection && !collection.isView) {
      wanted.add(collectionFolder(collection.id));
      const ids = new Set(names.flatMap((name) => name.split('/')[1] || []));
      for (const record of await this.rows.findMany(collection, [...ids])) {
        const folder = recordFolder(collection.id, record.id);
        wanted.add(folder);
        for (const file of fileNames(record)) wanted.add(folder + file);
      }
    }
    for (const name of names) {
      if (wanted.has(name)) continue;
      if (name.endsWith('/')) this.removals.removeFolder(name);
      else this.removals.removeFile(name);
    }
  }
}

function byCollection(names: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const collectionId = name.split('/')[0]!;
    const group = groups.get(collectionId) ?? [];
    group.push(name);
    groups.set(collectionId, group);
  }
  return groups;
}
