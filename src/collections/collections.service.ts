import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { SchemaSync } from '../database/schema-sync.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { Clock } from '../kernel/clock.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import {
  type CollectionBody,
  type CollectionInput,
  readCollectionBody,
} from '../kernel/collections/collection-body.js';
import { blankCollection, draftCollection } from '../kernel/collections/collection-draft.js';
import { Collection, type CollectionData, type CollectionType } from '../kernel/collections/collection.js';
import { modernCollection } from '../kernel/collections/legacy-collection.js';
import { formatDateTime } from '../kernel/date-time.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError, FieldErrors } from '../kernel/errors/field-error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { CatalogChange } from './catalog-change.js';
import { CollectionImporter, type ImportOptions } from './collection-import.js';
import { nameForm, typeCheck } from './collection-name-checks.js';
import { referencesTo } from './collection-references.js';
import { CollectionStore } from './collection-store.js';
import { CollectionValidator } from './collection-validator.js';
import { CollectionWriter } from './collection-writer.js';
import {
  AfterCollectionCreate,
  AfterCollectionCreateFailure,
  AfterCollectionDelete,
  AfterCollectionDeleteFailure,
  AfterCollectionUpdate,
  AfterCollectionUpdateFailure,
  BeforeCollectionCreate,
  BeforeCollectionDelete,
  BeforeCollectionUpdate,
  CollectionEdited,
} from './collection.hooks.js';
import { collectionFailure } from './collection-failure.js';
import { SqlViews } from './sql-views.js';
import { ViewDryRun } from './view-dry-run.js';
import { ViewQueryError } from './view-query.error.js';

/** How a change is made. */
export interface ChangeOptions {
  /** True for the endpoints of collections: whoever keeps track of what people change is told (OPS-188). */
  readonly edited?: boolean;
}

/**
 * Definitions of collections: found, created, changed, deleted, imported. Every change is one transaction over
 * definitions, tables, indexes and SQL views, and is in force for whoever asks after it has returned.
 */
@Injectable()
export class CollectionsService {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly validator: CollectionValidator,
    private readonly writer: CollectionWriter,
    private readonly importer: CollectionImporter,
    private readonly schema: SchemaSync,
    private readonly views: SqlViews,
    private readonly dryRun: ViewDryRun,
    private readonly types: FieldTypeRegistry,
    private readonly hooks: HookRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The collection with this id, or with this name ignoring case. */
  find(nameOrId: string): Collection | undefined {
    return this.store.catalog.find(nameOrId);
  }

  /** As `find`; throws a NotFoundError when there is none. */
  get(nameOrId: string): Collection {
    const collection = this.find(nameOrId);
    if (!collection) throw new NotFoundError('There is no such collection.');
    return collection;
  }

  /** All collections in order of creation. */
  all(): readonly Collection[] {
    return this.store.catalog.all();
  }

  /** Creates a collection and its table (COL-87). Throws a ValidationError that names everything that is wrong. */
  async create(body: CollectionBody, { edited }: ChangeOptions = {}): Promise<Collection> {
    const input = readCollectionBody(modernCollection(body));
    const type = requireType(input);
    await this.dryRun.rehearse(input.view.viewQuery ?? input.view.optionsQuery);
    const base = blankCollection(type);
    return this.hooked(AfterCollectionCreateFailure, base, async () => {
      const before = this.store.catalog;
      const draft = this.draft(input, base, before);
      const event = { definition: this.stamped(draft.data, undefined) };
      await this.hooks.run(BeforeCollectionCreate, event, event.definition);
      const collection = await this.save(before, undefined, event.definition, draft.errors);
      if (edited) await this.hooks.run(CollectionEdited, { after: collection }, collection);
      this.database.afterCommit(() => this.hooks.runAfter(AfterCollectionCreate, { collection }, collection));
      return collection;
    });
  }

  /** Changes what the body supplies and nothing else (COL-89). The result is validated as a whole. */
  async update(nameOrId: string, body: CollectionBody, { edited }: ChangeOptions = {}): Promise<Collection> {
    this.get(nameOrId);
    const input = readCollectionBody(modernCollection(body));
    await this.dryRun.rehearse(input.view.viewQuery ?? input.view.optionsQuery);
    return this.hooked(AfterCollectionUpdateFailure, this.get(nameOrId).toData(), async () => {
      const before = this.store.catalog;
      const original = this.get(nameOrId);
      const draft = this.draft(input, original.toData(), before);
      const event = { original, definition: this.stamped(draft.data, original) };
      await this.hooks.run(BeforeCollectionUpdate, event, original);
      const collection = await this.save(before, original, event.definition, draft.errors);
      if (edited) await this.hooks.run(CollectionEdited, { before: original, after: collection }, collection);
      this.database.afterCommit(() => this.hooks.runAfter(AfterCollectionUpdate, { original, collection }, collection));
      return collection;
    });
  }

  /** Deletes a collection with its table and records (COL-90). Throws 400 when it is a system one or is needed. */
  async delete(nameOrId: string, { edited }: ChangeOptions = {}): Promise<void> {
    await this.hooked(AfterCollectionDeleteFailure, this.get(nameOrId).toData(), async () => {
      const before = this.store.catalog;
      const collection = this.get(nameOrId);
      if (collection.system) throw new BadRequestError('System collections cannot be deleted.');
      const references = referencesTo(collection, before);
      if (references.length > 0) {
        throw new BadRequestError(`The collection is needed by others: ${references.join(', ')}.`);
      }
      await this.hooks.run(BeforeCollectionDelete, { collection }, collection);
      await this.writer.apply(new CatalogChange(before, [], [collection]));
      if (edited) await this.hooks.run(CollectionEdited, { before: collection }, collection);
      this.database.afterCommit(() => this.hooks.runAfter(AfterCollectionDelete, { collection }, collection));
    });
  }

  /**
   * Creates and changes many collections at once, and with `deleteMissing` deletes the others (COL-93 to COL-99).
   * All or nothing; the error names the collection and what is wrong with it.
   */
  async import(bodies: readonly CollectionBody[], options: ImportOptions = {}): Promise<void> {
    await this.importer.import(bodies, options);
  }

  private draft(input: CollectionInput, base: CollectionData, before: CatalogSnapshot) {
    return draftCollection(input, base, { types: this.types, isIdTaken: (id) => before.findById(id) !== undefined });
  }

  private stamped(definition: CollectionData, original: Collection | undefined): CollectionData {
    const now = formatDateTime(this.clock.now());
    return { ...definition, created: original?.created ?? now, updated: now };
  }

  private async save(
    before: CatalogSnapshot,
    stored: Collection | undefined,
    definition: CollectionData,
    earlier: FieldErrors,
  ): Promise<Collection> {
    const errors: Record<string, FieldError | FieldErrors> = { ...earlier };
    if (!stored && before.findById(definition.id)) errors.id = fieldError('validation_invalid_or_existing_id');
    const collection = await this.withQueriedFields(new Collection(definition, this.types), before, errors);
    const change = new CatalogChange(before, [collection]);
    const context = { stored, catalog: change.after, foreignNames: await this.foreignNames(before) };
    // Rules cannot be judged while it is not known what the fields are.
    const judged = errors.fields || errors.viewQuery ? 'checkStructure' : 'check';
    const all = { ...this.validator[judged](collection, context), ...errors };
    if (!isFine(all)) throw new ValidationError(all);
    const after = await this.writer.apply(change);
    return after.findById(definition.id)!;
  }

  /** A view has the fields of its query; whether it has one is judged with everything else. */
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

  private async foreignNames(catalog: CatalogSnapshot): Promise<ReadonlySet<string>> {
    const names = await this.schema.takenNames();
    for (const { name } of catalog.all()) names.delete(name.toLowerCase());
    return names;
  }

  /** Runs a change in a transaction; when it fails, tells the observers and gives the error a client can read. */
  private async hooked<T>(
    failureHook: typeof AfterCollectionCreateFailure,
    definition: CollectionData,
    work: () => Promise<T>,
  ): Promise<T> {
    try {
      return await this.database.transaction(work);
    } catch (cause) {
      const error = collectionFailure(cause);
      await this.hooks.runAfter(failureHook, { definition, error }, definition);
      throw error;
    }
  }
}

/** COL-88: without a type nothing can be said about fields, but the name can be judged. */
function requireType(input: CollectionInput): CollectionType {
  const type = typeCheck(input.type ?? '');
  if (!type) return input.type as CollectionType;
  const name = nameForm(input.name ?? '');
  throw new ValidationError({ ...(name ? { name } : {}), type });
}
