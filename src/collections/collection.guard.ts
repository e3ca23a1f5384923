import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { FOR_COLLECTION, type ForCollectionOptions } from '../http/for-collection.decorator.js';
import { requestOf } from '../http/request-of.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
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
    if (!collection) throw new NotFoundError('There is no such collection.');
    if (mark.writes && collection.isView)
      throw new BadRequestError('The records of a view collection cannot be changed.');
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
