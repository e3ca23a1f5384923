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
import { importedFields } from '../kernel/collections/import-fields.js';
import { modernCollection } from '../kernel/collections/legacy-collection.js';
import { formatDateTime } from '../kernel/date-time.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import type { FieldErrors } from '../kernel/errors/field-error.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { isFine } from '../kernel/validation/validate-object.js';
import { CatalogChange } from './catalog-change.js';
import { typeCheck } from './collection-name-checks.js';
import { CollectionStore } from './collection-store.js';
import { CollectionValidator } from './collection-validator.js';
import { CollectionWriter } from './collection-writer.js';
import {
  AfterCollectionCreate,
  AfterCollectionDelete,
  AfterCollectionUpdate,
  BeforeCollectionCreate,
  BeforeCollectionDelete,
  BeforeCollectionUpdate,
} from './collection.hooks.js';
import { importFailure } from './import-failure.js';
import { RefusedCollectionError } from './refused-collection.error.js';
import { ViewDryRun } from './view-dry-run.js';

/** How an import treats what it does not name. */
export interface ImportOptions {
  /** Deletes every collection that is not imported, and every field an imported collection does not have. */
  readonly deleteMissing?: boolean;
}

/** Lays a set of definitions over the present ones, all of them or none (COL-93 to COL-99). */
@Injectable()
export class CollectionImporter {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly validator: CollectionValidator,
    private readonly writer: CollectionWriter,
    private readonly schema: SchemaSync,
    private readonly dryRun: ViewDryRun,
    private readonly types: FieldTypeRegistry,
    private readonly hooks: HookRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws a ValidationError at `collections` that names the collection, and where known the properties. */
  async import(bodies: readonly CollectionBody[], options: ImportOptions): Promise<void> {
    try {
      const inputs = bodies.map((body) => this.read(body));
      for (const { view } of inputs) await this.dryRun.rehearse(view.viewQuery ?? view.optionsQuery);
      await this.database.transaction(() => this.replace(inputs, options.deleteMissing === true));
    } catch (error) {
      throw importFailure(error);
    }
  }

  private async replace(inputs: readonly CollectionInput[], deleteMissing: boolean): Promise<void> {
    const before = this.store.catalog;
    const change = await this.plan(inputs, before, deleteMissing);
    await this.requireStructure(change);
    const after = await this.writer.apply(change);
    await this.requireValid(change, after);
    this.tellAfterCommit(change, after);
  }

  private read(body: CollectionBody): CollectionInput {
    return inCollection(String(body.name ?? body.id ?? ''), () => readCollectionBody(modernCollection(body)));
  }

  private async plan(
    inputs: readonly CollectionInput[],
    before: CatalogSnapshot,
    deleteMissing: boolean,
  ): Promise<CatalogChange> {
    let planned = before;
    const saved = new Map<string, Collection>();
    for (const input of inputs) {
      const stored = planned.find(input.id || (input.name ?? ''));
      const collection = await this.draft(input, stored, { before: planned, deleteMissing });
      saved.set(collection.id, collection);
      planned = planned.with([collection]);
    }
    const missing = before.all().filter((collection) => !collection.system && !saved.has(collection.id));
    const removed = deleteMissing ? missing : [];
    for (const collection of removed) await this.hooks.run(BeforeCollectionDelete, { collection }, collection);
    return new CatalogChange(before, [...saved.values()], removed);
  }

  private async draft(
    input: CollectionInput,
    stored: Collection | undefined,
    plan: { before: CatalogSnapshot; deleteMissing: boolean },
  ): Promise<Collection> {
    const name = input.name ?? stored?.name ?? '';
    const type = (stored?.type ?? input.type ?? 'base') as CollectionType;
    requireFine(name, { ...(typeCheck(type) ? { type: typeCheck(type)! } : {}) });
    const base = stored?.toData() ?? blankCollection(type);
    const merged = stored && !stored.isView ? withStoredFields(input, stored, plan.deleteMissing) : input;
    const { data, errors } = inCollection(name, () =>
      draftCollection(merged, base, {
        types: this.types,
        isIdTaken: (id) => plan.before.findById(id) !== undefined,
      }),
    );
    requireFine(name, errors);
    const now = formatDateTime(this.clock.now());
    const definition = { ...data, created: stored?.created ?? now, updated: now };
    return new Collection(await this.hooked(definition, stored), this.types);
  }

  /** The definition as the Before hooks leave it. */
  private async hooked(definition: CollectionData, original: Collection | undefined): Promise<CollectionData> {
    if (!original) {
      const event = { definition };
      await this.hooks.run(BeforeCollectionCreate, event, definition);
      return event.definition;
    }
    const event = { definition, original };
    await this.hooks.run(BeforeCollectionUpdate, event, original);
    return event.definition;
  }

  /** Names have to be safe before they reach a statement; the rest is judged when everything is there. */
  private async requireStructure(change: CatalogChange): Promise<void> {
    const foreignNames = await this.foreignNames(change.before);
    for (const collection of change.saved) {
      const stored = change.before.findById(collection.id);
      const context = { stored, catalog: change.after, foreignNames };
      requireFine(collection.name, this.validator.checkStructure(collection, context));
    }
  }

  private async requireValid(change: CatalogChange, after: CatalogSnapshot): Promise<void> {
    for (const { id } of change.saved) {
      const collection = after.findById(id)!;
      const context = { stored: change.before.findById(id), catalog: after, foreignNames: new Set<string>() };
      requireFine(collection.name, this.validator.check(collection, context));
    }
  }

  private async foreignNames(catalog: CatalogSnapshot): Promise<ReadonlySet<string>> {
    const names = await this.schema.takenNames();
    for (const { name } of catalog.all()) names.delete(name.toLowerCase());
    return names;
  }

  private tellAfterCommit(change: CatalogChange, after: CatalogSnapshot): void {
    this.database.afterCommit(async () => {
      for (const collection of change.removed) {
        await this.hooks.runAfter(AfterCollectionDelete, { collection }, collection);
      }
      for (const { id } of change.saved) {
        const collection = after.findById(id)!;
        const original = change.before.findById(id);
        if (original) await this.hooks.runAfter(AfterCollectionUpdate, { original, collection }, collection);
        else await this.hooks.runAfter(AfterCollectionCreate, { collection }, collection);
      }
    });
  }
}

function withStoredFields(input: CollectionInput, stored: Collection, deleteMissing: boolean): CollectionInput {
  if (!input.fields && !deleteMissing) return input;
  return { ...input, fields: importedFields(input.fields, stored.fields, deleteMissing) };
}

function requireFine(collection: string, errors: FieldErrors): void {
  if (!isFine(errors)) throw new RefusedCollectionError(collection, errors);
}

/** Runs a step whose failure is that of one collection. */
function inCollection<T>(collection: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof BadRequestError ? new RefusedCollectionError(collection, {}, error) : error;
  }
}
