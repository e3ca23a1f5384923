import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { FOR_COLLECTION, type ForCollectionOptions } from '../http/for-collection.decorator.js';
import { requestOf } from '../http/request-of.js';
import { collectionNotFound, viewNotWritable } from './collection-errors.js';
import { CollectionStore } from './collection-store.js';

/** Finds the collection of the routes marked with `@ForCollection()`: 404 when there is none. */
@Injectable()
export class CollectionGuard implements CanActivate {
  private readonly marks = new WeakMap<object, ForCollectionOptions | null>();

  constructor(
    private readonly reflector: Reflector,
    private readonly store: CollectionStore,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const mark = this.markOf(context);
    if (!mark) return true;
    const request = requestOf(context);
    const collection = this.store.catalog.find((request.params as { collection: string }).collection);
    if (!collection) throw collectionNotFound();
    if (mark.writes && collection.isView) throw viewNotWritable();
    request.collection = collection;
    return true;
  }

  private markOf(context: ExecutionContext): ForCollectionOptions | null {
    const handler = context.getHandler();
    let mark = this.marks.get(handler);
    if (mark === undefined) {
      mark =
        this.reflector.getAllAndOverride<ForCollectionOptions | undefined>(FOR_COLLECTION, [
          handler,
          context.getClass(),
        ]) ?? null;
      this.marks.set(handler, mark);
    }
    return mark;
  }
}
