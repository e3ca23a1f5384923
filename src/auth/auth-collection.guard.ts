import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { requestOf } from '../http/request/request-of.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';

/**
 * The collection of the path for a route that asks who is calling before it tells whether the collection exists:
 * `@ForCollection` would tell first. 404 when there is no such auth collection.
 */
@Injectable()
export class AuthCollectionGuard implements CanActivate {
  constructor(private readonly store: CollectionStore) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const collection = this.store.catalog.find((request.params as { collection: string }).collection);
    if (!collection?.isAuth) throw new NotFoundError('There is no such auth collection.');
    request.collection = collection;
    return true;
  }
}
