import { Injectable } from '@nestjs/common';
import { CollectionsDeleted, type CollectionsDeletedEvent } from '../collections/collection.hooks.js';
import { collectionFolder } from './file-keys.js';
import { FileRemovals } from './file-removals.js';

/** Empties the folders of deleted collections (FS-36). */
@Injectable()
export class CollectionFilesHooks {
  constructor(private readonly removals: FileRemovals) {}

  @CollectionsDeleted()
  async removeFiles({ collections }: CollectionsDeletedEvent): Promise<void> {
    const tables = collections.filter(({ isView }) => !isView);
    await this.removals.add(tables.map(({ id }) => collectionFolder(id)));
  }
}
