import { Injectable } from '@nestjs/common';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import type { Caller } from '../kernel/records/caller.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { CatalogChange, type CatalogChangeContext } from './catalog-change.js';
import { CollectionValidator } from './collection-validator.js';
import { CollectionWriter } from './collection-writer.js';
import { SqlViews } from './sql-views.js';
import { ViewQueryError } from './view-query.error.js';

/** A collection that is to be saved. */
export interface CollectionSave extends CatalogChangeContext {
  readonly before: CatalogSnapshot;
  /** The collection as it is stored; undefined when it is new. */
  readonly stored?: Collection;
  readonly collection: Collection;
  /** For hooks: who asked for it. */
  readonly caller: Caller | null;
  /** Errors found earlier. */
  readonly errors: FieldErrors;
}

/** Saves one collection: validates it as a whole and writes it, in the ambient transaction. */
@Injectable()
export class CollectionSaver {
  constructor(
    private readonly validator: CollectionValidator,
    private readonly writer: CollectionWriter,
    private readonly views: SqlViews,
  ) {}

  /** Gives the collection as it is stored now. Throws a ValidationError that names everything that is wrong. */
  async save({ before, stored, collection, errors: known, caller, ...context }: CollectionSave): Promise<Collection> {
    const errors: Record<string, FieldError | FieldErrors> = { ...known };
    if (before.findById(collection.id) !== stored) errors.id ??= fieldError('validation_invalid_or_existing_id');
    const queried = await this.withQueriedFields(collection, before, errors);
    if (context.asBefore) delete errors.viewQuery;
    const change = new CatalogChange(before, [queried], [], context);
    // Rules cannot be checked without valid fields, and restored definitions are not checked again.
    const scope = errors.fields || errors.viewQuery || context.asBefore ? 'structure' : 'everything';
    const found = await this.validator.check(queried, { before, isNew: !stored, catalog: change.after, scope });
    const judged = { collection: queried, original: stored, caller, asBefore: context.asBefore };
    const all = await this.validator.withErrorsOfHooks(judged, { ...found, ...errors });
    if (!isFine(all)) throw new ValidationError(all);
    const after = await this.writer.apply(change);
    return after.findById(collection.id)!;
  }

  async remove(collection: Collection, before: CatalogSnapshot, context: CatalogChangeContext = {}): Promise<void> {
    await this.writer.apply(new CatalogChange(before, [], [collection], context));
  }

  /** Gives a view the fields of its query; errors of the query are collected like all others. */
  private async withQueriedFields(
    collection: Collection,
    before: CatalogSnapshot,
    errors: Record<string, FieldError | FieldErrors>,
  ): Promise<Collection> {
    if (!collection.isView || !collection.viewQuery || errors.viewQuery) return collection;
    try {
      return await this.views.infer(collection, before);
    } catch (error) {
      if (!(error instanceof ViewQueryError)) throw error;
      errors.viewQuery = error.toFieldError();
      return collection;
    }
  }
}
