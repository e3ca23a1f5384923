import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import {
  type CollectionBody,
  type CollectionInput,
  readCollectionBody,
} from '../kernel/collections/collection-body.js';
import type { Collection, CollectionType } from '../kernel/collections/collection.js';
import { additionsTo, isLegacyCollection, modernCollection } from '../kernel/collections/legacy-collection.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import type { Caller } from '../kernel/records/caller.js';
import { validateObject } from '../kernel/validation/validate-object.js';
import { CollectionDrafts } from './collection-drafts.js';
import { requireCollection } from './collection-errors.js';
import { collectionFailure } from './collection-failure.js';
import { CollectionImporter, type ImportOptions } from './collection-importer.js';
import { nameForm, typeCheck } from './collection-name-checks.js';
import { referencesTo } from './collection-references.js';
import { CollectionSaver } from './collection-saver.js';
import { CollectionStore } from './collection-store.js';
import { CollectionTransactions } from './collection-transactions.js';
import {
  AfterCollectionCreate,
  AfterCollectionCreateFailed,
  AfterCollectionDelete,
  AfterCollectionDeleteFailed,
  AfterCollectionUpdate,
  AfterCollectionUpdateFailed,
  BeforeCollectionCreate,
  BeforeCollectionDelete,
  BeforeCollectionUpdate,
  CollectionEdited,
} from './collection.hooks.js';
import { ViewDryRun } from './view-dry-run.js';

/** How a change is made. */
export interface ChangeOptions {
  /** True for the endpoints of collections: hooks that record changes made by people are called (OPS-188). */
  readonly edited?: boolean;
  /**
   * True when an earlier definition is restored: it is accepted even where its rules and queries do not fit the present
   * collections, and views may be broken.
   */
  readonly asBefore?: boolean;
  /** For hooks: who asked for it. */
  readonly caller?: Caller | null;
}

/** A view whose query does not run. */
export interface BrokenView {
  readonly view: Collection;
  /** What the database says about it. */
  readonly reason: string;
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
    private readonly drafts: CollectionDrafts,
    private readonly saver: CollectionSaver,
    private readonly importer: CollectionImporter,
    private readonly dryRun: ViewDryRun,
    private readonly transactions: CollectionTransactions,
    private readonly hooks: HookRegistry,
  ) {}

  /** The collection with this id, or with this name ignoring case. */
  find(nameOrId: string): Collection | undefined {
    return this.store.catalog.find(nameOrId);
  }

  /** As `find`; throws a NotFoundError when there is none. */
  get(nameOrId: string): Collection {
    return requireCollection(this.store.catalog, nameOrId);
  }

  /** All collections in order of creation. */
  all(): readonly Collection[] {
    return this.store.catalog.all();
  }

  /** The views that cannot be read, because the collections behind them have changed. */
  async findBrokenViews(): Promise<readonly BrokenView[]> {
    const broken: BrokenView[] = [];
    for (const view of this.all().filter(({ isView }) => isView)) {
      const reason = await this.dryRun.findFault(view);
      if (reason !== undefined) broken.push({ view, reason });
    }
    return broken;
  }

  /** Creates a collection and its table (COL-87). Throws a ValidationError that names everything that is wrong. */
  async create(body: CollectionBody, { edited, asBefore, caller = null }: ChangeOptions = {}): Promise<Collection> {
    const input = readCollectionBody(modernCollection(body));
    const type = requireType(input);
    const triedQueries = await this.dryRun.tryQueries(input.view);
    return this.transactions.run({ touched: [], toError: collectionFailure }, async (outcome) => {
      const before = this.store.catalog;
      const draft = this.drafts.draft(input, type, before, { asBefore });
      const event = { definition: draft.data, caller };
      this.transactions.watch(AfterCollectionCreateFailed, event, outcome);
      await this.hooks.run(BeforeCollectionCreate, event, draft.data);
      const planned = this.drafts.collection(event.definition);
      const { errors } = draft;
      const collection = await this.saver.save({ before, collection: planned, errors, triedQueries, asBefore, caller });
      if (edited) await this.hooks.run(CollectionEdited, { after: collection }, collection);
      this.database.afterCommit(() => this.hooks.runAfter(AfterCollectionCreate, { collection, caller }, collection));
      return collection;
    });
  }

  /** Changes what the body supplies and nothing else (COL-89). The result is validated as a whole. */
  async update(nameOrId: string, body: CollectionBody, options: ChangeOptions = {}): Promise<Collection> {
    const { edited, asBefore, caller = null } = options;
    const present = this.get(nameOrId);
    const isLegacy = isLegacyCollection(body);
    const { name, isView } = present;
    const told = { name, ...(isView && { type: 'view' }), ...body };
    const input = readCollectionBody(isLegacy ? modernCollection(told) : body);
    const touched = input.fields || input.indexes || input.name ? [present] : [];
    const triedQueries = await this.dryRun.tryQueries(input.view);
    return this.transactions.run({ touched, toError: collectionFailure }, async (outcome) => {
      const before = this.store.catalog;
      const original = this.get(nameOrId);
      const change = isLegacy && !original.isView ? additionsTo(original, input) : input;
      const draft = this.drafts.draft(change, original, before, { asBefore });
      const event = { original, definition: draft.data, caller };
      this.transactions.watch(AfterCollectionUpdateFailed, event, outcome);
      await this.hooks.run(BeforeCollectionUpdate, event, original);
      const planned = this.drafts.collection(event.definition);
      const collection = await this.saver.save({
        before,
        stored: original,
        collection: planned,
        errors: draft.errors,
        triedQueries,
        asBefore,
        caller,
      });
      if (edited) await this.hooks.run(CollectionEdited, { before: original, after: collection }, collection);
      this.database.afterCommit(() =>
        this.hooks.runAfter(AfterCollectionUpdate, { original, collection, caller }, collection),
      );
      return collection;
    });
  }

  /** Deletes a collection with its table and records (COL-90). Throws 400 when it is a system one or is needed. */
  async delete(nameOrId: string, { edited, asBefore, caller = null }: ChangeOptions = {}): Promise<void> {
    const touched = [this.get(nameOrId)];
    await this.transactions.run({ touched, toError: collectionFailure }, async (outcome) => {
      const before = this.store.catalog;
      const collection = this.get(nameOrId);
      this.transactions.watch(AfterCollectionDeleteFailed, { definition: collection, caller }, outcome);
      if (collection.system) throw new BadRequestError('System collections cannot be deleted.');
      const references = referencesTo(collection, before, { exceptViews: asBefore });
      if (references.length > 0) {
        throw new BadRequestError(`The collection is needed by others: ${references.join(', ')}.`);
      }
      await this.hooks.run(BeforeCollectionDelete, { collection, caller }, collection);
      await this.saver.remove(collection, before, { asBefore });
      if (edited) await this.hooks.run(CollectionEdited, { before: collection }, collection);
      this.database.afterCommit(() => this.hooks.runAfter(AfterCollectionDelete, { collection, caller }, collection));
    });
  }

  /**
   * Creates and changes many collections at once, and with `deleteMissing` deletes the others (COL-93 to COL-99).
   * All or nothing; the error names the collection and what is wrong with it.
   */
  async import(bodies: readonly CollectionBody[], options: ImportOptions = {}): Promise<void> {
    await this.importer.import(bodies, options);
  }
}

/** COL-88: without a type nothing can be said about fields, but the name can be judged. */
function requireType({ name = '', type = '' }: CollectionInput): CollectionType {
  const known = typeCheck(type) === undefined;
  if (!known) throw new ValidationError(validateObject({ name, type }, { name: nameForm, type: typeCheck }));
  return type as CollectionType;
}
