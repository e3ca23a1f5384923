import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { FOR_COLLECTION, type ForCollectionOptions } from '../http/request/collection.decorators.js';
import { RouteMetadata } from '../http/request/route-metadata.js';
import { isHttp, requestOf } from '../http/request/request-of.js';
import { requireCollection, viewNotWritable } from './collection-errors.js';
import { CollectionStore } from './collection-store.js';

/** Finds the collection of the routes marked with `@ForCollection()`: 404 when there is none. */
@Injectable()
export class CollectionGuard implements CanActivate {
  private readonly options: RouteMetadata<ForCollectionOptions | null>;

  constructor(
    reflector: Reflector,
    private readonly store: CollectionStore,
  ) {
    this.options = new RouteMetadata(
      (targets) => reflector.getAllAndOverride<ForCollectionOptions | undefined>(FOR_COLLECTION, targets) ?? null,
    );
  }

  canActivate(context: ExecutionContext): boolean {
    if (!isHttp(context)) return true;
    const options = this.options.of(context);
    if (!options) return true;
    const request = requestOf(context);
    const collection = requireCollection(this.store.catalog, (request.params as { collection: string }).collection);
    if (options.writes && collection.isView) throw viewNotWritable();
    request.collection = collection;
    return true;
  }
}
