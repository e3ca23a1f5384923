import { Injectable } from '@nestjs/common';
import { CollectionDeleted } from '../collections/collection-deleted.event.js';
import { OnEvent } from '../events/on-event.decorator.js';
import { collectionFolder } from '../storage/file-keys.js';
import { FileRemovals } from '../storage/file-removals.js';

/** Empties the folder of a deleted collection (FS-36). */
@Injectable()
export class CollectionFilesListener {
  constructor(private readonly removals: FileRemovals) {}

  @OnEvent(CollectionDeleted)
  removeFiles({ collection }: CollectionDeleted): void {
    if (!collection.isView) this.removals.removeFolder(collectionFolder(collection.id));
  }
}
