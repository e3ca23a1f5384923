import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { TimeSlices } from '../database/time-slices.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import {
  type CollectionBody,
  type CollectionInput,
  readCollectionBody,
} from '../kernel/collections/collection-body.js';
import type { Collection, CollectionData, CollectionType } from '../kernel/collections/collection.js';
import { importedFields } from '../kernel/collections/import-fields.js';
import { modernCollection } from '../kernel/collections/legacy-collection.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import type { FieldErrors } from '../kernel/errors/field-error.js';
import type { Caller } from '../kernel/records/caller.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { isFine, validateObject } from '../kernel/validation/validate-object.js';
import { CatalogChange } from './catalog-change.js';
import { CollectionDrafts } from './collection-drafts.js';
import { typeCheck } from './collection-name-checks.js';
import { CollectionStore } from './collection-store.js';
import { CollectionTransactions, type Outcome } from './collection-transactions.js';
import { CollectionValidator, type CollectionCheck } from './collection-validator.js';
import { CollectionWriter } from './collection-writer.js';
import {
  AfterCollectionCreate,
  AfterCollectionCreateFailed,
  AfterCollectionDelete,
  AfterCollectionDeleteFailed,
  AfterCollectionUpdate,
  AfterCollectionUpdateFailed,
  BeforeCollectionCreate,
  BeforeCollectionDelete,
  BeforeCollectionImport,
  BeforeCollectionUpdate,
} from './collection.hooks.js';
import { importFailure } from './import-failure.js';
import { RefusedCollectionError } from './refused-collection.error.js';
import { ViewDryRun } from './view-dry-run.js';

/** How an import treats what it does not name. */
export interface ImportOptions {
  /** Deletes every collection that is not imported, and every field an imported collection does not have. */
  readonly deleteMissing?: boolean;
  /** Imported fields keep their ids, also where a stored field that is no system one has their name and type. */
  readonly keepFieldIds?: boolean;
  /**
   * True for definitions that were in force before: rules and queries that do not fit are taken as they are, and views
   * that cannot be created are kept without their SQL view.
   */
  readonly asBefore?: boolean;
  /** For hooks: who asked for it. */
  readonly caller?: Caller | null;
}

interface ReplaceOptions {
  readonly deleteMissing: boolean;
  readonly keepFieldIds: boolean;
  readonly asBefore: boolean;
  readonly triedQueries: ReadonlySet<string>;
  readonly caller: Caller | null;
  readonly outcome: Outcome;
}

/** Lays a set of definitions over the present ones, all of them or none (COL-93 to COL-99). */
@Injectable()
export class CollectionImporter {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly drafts: CollectionDrafts,
    private readonly validator: CollectionValidator,
    private readonly writer: CollectionWriter,
    private readonly dryRun: ViewDryRun,
    private readonly transactions: CollectionTransactions,
    private readonly hooks: HookRegistry,
  ) {}

  /** Throws a ValidationError at `collections` that names the collection, and where known the properties. */
  async import(bodies: readonly CollectionBody[], options: ImportOptions): Promise<void> {
    const { keepFieldIds = false, asBefore = false, caller = null } = options;
    const event = { collections: bodies, deleteMissing: options.deleteMissing ?? false, caller };
    await this.hooks.run(BeforeCollectionImport, event);
    const { collections, deleteMissing } = event;
    const { inputs, triedQueries } = await this.prepare(collections, asBefore);
    const touched = this.touched(inputs, deleteMissing);
    await this.transactions.run({ touched, toError: importFailure }, (outcome) =>
      this.replace(inputs, { deleteMissing, keepFieldIds, asBefore, triedQueries, caller, outcome }),
    );
  }

  /** What is checked before the transaction. */
  private async prepare(
    bodies: readonly CollectionBody[],
    asBefore: boolean,
  ): Promise<{ inputs: readonly CollectionInput[]; triedQueries: ReadonlySet<string> }> {
    try {
      const slices = new TimeSlices();
      const inputs: CollectionInput[] = [];
      for (const body of bodies) {
        inputs.push(this.read(body));
        await slices.pause();
      }
      return { inputs, triedQueries: asBefore ? new Set() : await this.tryViews(inputs) };
    } catch (error) {
      throw importFailure(error);
    }
  }

  private async tryViews(inputs: readonly CollectionInput[]): Promise<ReadonlySet<string>> {
    const tried: string[] = [];
    for (const { name, id, view } of inputs) {
      try {
        tried.push(...(await this.dryRun.tryQueries(view)));
      } catch (error) {
        throw error instanceof ValidationError ? new RefusedCollectionError(name ?? id ?? '', error.errors) : error;
      }
    }
    return new Set(tried);
  }

  /** The collections whose tables will be changed or dropped, as far as is known before. */
  private touched(inputs: readonly CollectionInput[], deleteMissing: boolean): readonly Collection[] {
    const { catalog } = this.store;
    return deleteMissing ? catalog.all() : inputs.flatMap(({ id, name }) => catalog.find(id || (name ?? '')) ?? []);
  }

  private async replace(inputs: readonly CollectionInput[], options: ReplaceOptions): Promise<void> {
    const { saved, removed } = await this.plan(inputs, this.store.catalog, options);
    const change = new CatalogChange(this.store.catalog, saved, removed, {
      triedQueries: options.triedQueries,
      asBefore: options.asBefore,
    });
    // Everything wrong is reported at once, except for rules when there are new views, whose fields are not known yet.
    const rulesToo = !options.asBefore && !saved.some(({ isView }) => isView);
    await this.requireFine(change, { catalog: change.after, scope: 'structure', rulesToo }, options);
    const after = await this.writer.apply(change);
    if (!options.asBefore) await this.requireFine(change, { catalog: after, scope: 'rules' }, options);
    this.tellAfterCommit(change, after, options.caller);
  }

  private read(body: CollectionBody): CollectionInput {
    return inCollection(String(body.name ?? body.id ?? ''), () => readCollectionBody(modernCollection(body)));
  }

  private async plan(
    inputs: readonly CollectionInput[],
    before: CatalogSnapshot,
    options: ReplaceOptions,
  ): Promise<{ saved: readonly Collection[]; removed: readonly Collection[] }> {
    const { deleteMissing, caller, outcome } = options;
    let planned = before;
    const saved = new Map<string, Collection>();
    const slices = new TimeSlices();
    for (const input of inputs) {
      await slices.pause();
      const key = input.id || (input.name ?? '');
      // Entries are matched with stored collections, not with names that earlier entries of the import have given.
      const match = before.find(key) ?? planned.find(key);
      const stored = match && (saved.get(match.id) ?? match);
      const collection = await this.draft(input, stored, { ...options, catalog: planned });
      saved.set(collection.id, collection);
      planned = planned.with([collection]);
    }
    const missing = before.all().filter((collection) => !collection.system && !saved.has(collection.id));
    const removed = deleteMissing ? missing : [];
    for (const collection of removed) {
      this.transactions.watch(AfterCollectionDeleteFailed, { definition: collection, caller }, outcome);
      await this.hooks.run(BeforeCollectionDelete, { collection, caller }, collection);
    }
    return { saved: [...saved.values()], removed };
  }

  private async draft(
    input: CollectionInput,
    stored: Collection | undefined,
    plan: ReplaceOptions & { catalog: CatalogSnapshot },
  ): Promise<Collection> {
    const name = input.name ?? stored?.name ?? '';
    const type = stored?.type ?? input.type ?? 'base';
    requireNone(name, validateObject({ type }, { type: typeCheck }));
    const merged = stored && !stored.isView ? withStoredFields(input, stored, plan) : input;
    const { data, errors, fieldNames } = inCollection(name, () =>
      this.drafts.draft(merged, stored ?? (type as CollectionType), plan.catalog, plan),
    );
    requireNone(name, errors, fieldNames);
    return this.drafts.collection(await this.hooked(data, stored, plan));
  }

  /** The definition as the `Before…` hooks leave it. */
  private async hooked(
    definition: CollectionData,
    original: Collection | undefined,
    { caller, outcome }: ReplaceOptions,
  ): Promise<CollectionData> {
    if (!original) {
      const event = { definition, caller };
      this.transactions.watch(AfterCollectionCreateFailed, event, outcome);
      await this.hooks.run(BeforeCollectionCreate, event, definition);
      return event.definition;
    }
    const event = { definition, original, caller };
    this.transactions.watch(AfterCollectionUpdateFailed, event, outcome);
    await this.hooks.run(BeforeCollectionUpdate, event, original);
    return event.definition;
  }

  private async requireFine(
    change: CatalogChange,
    judged: { catalog: CatalogSnapshot; scope: 'structure' | 'rules'; rulesToo?: boolean },
    { caller, asBefore }: ReplaceOptions,
  ): Promise<void> {
    const { before } = change;
    const foreignNames = await this.validator.foreignNames(before);
    const slices = new TimeSlices();
    for (const { id } of change.saved) {
      await slices.pause();
      const collection = judged.catalog.findById(id)!;
      const check = (scope: CollectionCheck['scope']) =>
        this.validator.check(collection, { before, foreignNames, imported: true, catalog: judged.catalog, scope });
      const found = await check(judged.scope);
      const errors = !isFine(found) && judged.rulesToo ? await check('everything') : found;
      const byHooks = { collection, original: before.findById(id), caller, asBefore };
      // Hooks run once, together with the rules, when the fields of views are known.
      const all = judged.scope === 'rules' ? await this.validator.withErrorsOfHooks(byHooks, errors) : errors;
      requireNone(
        collection.name,
        all,
        collection.fields.map((field) => field.name),
      );
    }
  }

  private tellAfterCommit(change: CatalogChange, after: CatalogSnapshot, caller: Caller | null): void {
    this.database.afterCommit(async () => {
      const slices = new TimeSlices();
      for (const collection of change.removed) {
        await this.hooks.runAfter(AfterCollectionDelete, { collection, caller }, collection);
      }
      for (const { id } of change.saved) {
        await slices.pause();
        const collection = after.findById(id)!;
        const original = change.before.findById(id);
        if (original) await this.hooks.runAfter(AfterCollectionUpdate, { original, collection, caller }, collection);
        else await this.hooks.runAfter(AfterCollectionCreate, { collection, caller }, collection);
      }
    });
  }
}

function withStoredFields(
  input: CollectionInput,
  stored: Collection,
  { deleteMissing, keepFieldIds }: Pick<ReplaceOptions, 'deleteMissing' | 'keepFieldIds'>,
): CollectionInput {
  if (!input.fields && !deleteMissing) return input;
  const found = keepFieldIds ? stored.fields.filter(({ system }) => system) : stored.fields;
  return { ...input, fields: importedFields(input.fields, found, deleteMissing) };
}

function requireNone(collection: string, errors: FieldErrors, fieldNames?: readonly string[]): void {
  if (!isFine(errors)) throw new RefusedCollectionError(collection, errors, fieldNames);
}

/** Runs a step whose failure is that of one collection. */
function inCollection<T>(collection: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof BadRequestError ? new RefusedCollectionError(collection, {}, [], error) : error;
  }
}
