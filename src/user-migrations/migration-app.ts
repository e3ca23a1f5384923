import { Injectable } from '@nestjs/common';
import { CollectionsService } from '../collections/collections.service.js';
import { Database } from '../database/database.js';
import type { CollectionBody } from '../kernel/collections/collection-body.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { RecordsService } from '../records/records.service.js';
import { SettingsService } from '../settings/settings.service.js';

/** A change of some fields of a collection, the others stay as they are. */
export interface FieldsChange {
  /** Definitions to add, or to put in the place of those with the same id; `at` is where a new one goes. */
  readonly save?: readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly at?: number })[];
  /** Ids. */
  readonly remove?: readonly string[];
}

/** Properties of a collection to change; of the fields either what changes, or all of them. */
export type CollectionChange = CollectionBody & { readonly fields?: FieldsChange | readonly FieldDefinition[] };

/** How a migration changes collections. */
export interface MigrationOptions {
  /**
   * Brings back what was in force before: rules and queries that do not fit any more are taken as they were, views may
   * be left behind or come back as broken as they were.
   */
  readonly asBefore?: boolean;
}

/** How a migration brings many collections at once. */
export interface MigrationImportOptions extends MigrationOptions {
  /** Deletes all others. */
  readonly deleteMissing?: boolean;
  /**
   * These are all there are to be: a new installation, which has nothing but its untouched and empty `users`, has
   * exactly these afterwards. Anywhere else nothing goes because of it.
   */
  readonly fromStart?: boolean;
}

/** The id of `users` as a new installation begins with it. */
const FIRST_USERS = '_pb_users_auth_';

/** Collections as migrations change them. Whatever they do happens in the transaction of the migration. */
@Injectable()
export class MigrationCollections {
  constructor(
    private readonly collections: CollectionsService,
    private readonly records: RecordsService,
  ) {}

  /** The collection with this name or id. */
  find(nameOrId: string): Collection | undefined {
    return this.collections.find(nameOrId);
  }

  /** Changes the collection with the id or name of the body, or creates it. */
  save(body: CollectionBody, { asBefore }: MigrationOptions = {}): Promise<Collection> {
    const found = [body['id'], body['name']].find((key) => typeof key === 'string' && this.find(key));
    if (found === undefined) return this.collections.create(body, { asBefore });
    return this.collections.update(found as string, body, { asBefore });
  }

  /** Changes some properties of a collection, and some of its fields. */
  change(nameOrId: string, change: CollectionChange, { asBefore }: MigrationOptions = {}): Promise<Collection> {
    const { fields, ...properties } = change;
    if (!fields) return this.collections.update(nameOrId, properties, { asBefore });
    const changed = Array.isArray(fields)
      ? fields
      : changedFields(this.collections.get(nameOrId).fields, fields as FieldsChange);
    return this.collections.update(nameOrId, { ...properties, fields: changed }, { asBefore });
  }

  /** Deletes the collection with its records. Throws when others still refer to it. */
  async delete(nameOrId: string, { asBefore }: MigrationOptions = {}): Promise<void> {
    await this.collections.delete(nameOrId, { asBefore });
  }

  /** Creates and changes many at once; others are deleted only with `deleteMissing`. */
  async import(bodies: readonly CollectionBody[], options: MigrationImportOptions = {}): Promise<void> {
    const { deleteMissing, fromStart, asBefore } = options;
    const isNew = fromStart === true && (await this.isNewInstallation());
    // With the ids of fields that they have here, so that later migrations find them.
    await this.collections.import(bodies, { deleteMissing: deleteMissing || isNew, keepFieldIds: isNew, asBefore });
  }

  private async isNewInstallation(): Promise<boolean> {
    const [users, ...others] = this.collections.all().filter(({ system }) => !system);
    if (users?.id !== FIRST_USERS || others.length > 0 || users.updated !== users.created) return false;
    return (await this.records.count(users.name)) === 0;
  }
}

/** What a migration is given (OPS-185): everything it does is part of its transaction. */
@Injectable()
export class MigrationApp {
  constructor(
    readonly collections: MigrationCollections,
    readonly records: RecordsService,
    readonly settings: SettingsService,
    private readonly database: Database,
  ) {}

  /**
   * Runs one statement with its values bound, for each of which it has a `?`, and gives the rows of a reading one.
   * Throws for a statement that would end the transaction of the migration or reach beyond the database.
   */
  readonly sql = async (query: string, params: readonly SqlValue[] = []): Promise<Record<string, unknown>[]> => {
    const { dialect } = this.database;
    dialect.requireHarmless(query);
    const named = dialect.withStoredNames?.(query) ?? query;
    const sql = params.length > 0 ? dialect.withPlaceholders(named) : named;
    const { rows } = await this.database.run<Record<string, unknown>>({ sql, params });
    return rows;
  };
}

function changedFields(
  present: readonly FieldDefinition[],
  { save = [], remove = [] }: FieldsChange,
): Readonly<Record<string, unknown>>[] {
  const removed = new Set(remove);
  const fields: Readonly<Record<string, unknown>>[] = present.filter(({ id }) => !removed.has(id));
  for (const { at, ...definition } of save) {
    const index = fields.findIndex(({ id }) => id === definition.id);
    if (index >= 0) fields[index] = definition;
    else fields.splice(at ?? fields.length, 0, definition);
  }
  return fields;
}
