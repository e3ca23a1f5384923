import { CatalogChange } from '../collections/catalog-change.js';
import type { CollectionRows } from '../collections/collection-rows.js';
import { SqlViews } from '../collections/sql-views.js';
import { ViewQueryError } from '../collections/view-query.error.js';
import { Database } from '../database/database.js';
import { IndexRefusedError } from '../database/index-refused.error.js';
import { SchemaSync } from '../database/schema-sync.js';
import { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { SchemaChange } from '../kernel/collections/collection-diff.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { column, table } from '../kernel/sql/sql.js';
import { CopyError } from './copy.error.js';
import {
  type CopiedRow,
  type CopiedTable,
  DEFINITIONS,
  LOGS,
  NOT_COPIED,
  SYSTEM_TABLES,
  tableOf,
} from './copied-table.js';
import { Repairs, RowsDigest } from './copied-values.js';
import { TableRows } from './table-rows.js';

/** How far a copy is. */
export interface CopyProgress {
  readonly table: string;
  /** Rows of the table so far. */
  readonly rows: number;
}

/** What was copied of a collection. */
export interface CopiedCollection {
  readonly name: string;
  readonly records: number;
  readonly checksum: string;
}

/** What was copied. */
export interface CopyReport {
  readonly collections: readonly CopiedCollection[];
  readonly views: number;
  /** Values that are not as they were. */
  readonly changed: readonly string[];
  /** Views whose queries the target does not take, which have their definitions there and nothing else. */
  readonly brokenViews: readonly string[];
  /** Tables of the source that are not Roost's. */
  readonly leftOut: readonly string[];
}

/** How a database is copied. */
export interface CopyOptions {
  readonly onProgress?: (progress: CopyProgress) => void;
  readonly onCollection?: (collection: CopiedCollection) => void;
  /** Runs the writes off the main thread (TransactionOptions). */
  readonly offThread?: boolean;
  /** Whether the copy is made all the same where views have queries that the target does not take. */
  readonly mayBreakViews?: boolean;
  /** Called last in the transaction; a throw still refuses it. */
  readonly beforeCommit?: () => Promise<void>;
}

/** One copy, in a snapshot of the source and a transaction of the target. */
export class CopyRun {
  private readonly schema: SchemaSync;
  private readonly views: SqlViews;
  private readonly changed: string[] = [];
  private readonly brokenViews: string[] = [];

  constructor(
    private readonly source: Database,
    private readonly target: Database,
    private readonly definitions: CollectionRows,
    types: FieldTypeRegistry,
    private readonly options: CopyOptions,
  ) {
    this.schema = new SchemaSync(target);
    this.views = new SqlViews(this.schema, types);
  }

  async run(): Promise<CopyReport> {
    const stored = await allRows(this.source, DEFINITIONS);
    const change = new CatalogChange(new CatalogSnapshot([]), this.definitions.fromStored(stored));
    const changes = change.tableChanges();
    const indexes = changes.filter(({ kind }) => kind === 'createIndex');
    await this.clear();
    await this.schema.apply(changes.filter(({ kind }) => kind !== 'createIndex'));
    // The indexes are tried first, so that a refusal comes now and not after hours; the tables are filled without them,
    // which is faster.
    await this.schema.dryRun(() => this.createIndexes(indexes));
    const views = await this.createViews(change);
    const collections = await this.copyCollections(change.saved);
    await this.createIndexes(indexes);
    await this.copyDefinitions(stored, views);
    for (const each of SYSTEM_TABLES) await this.copyTable(each);
    const leftOut = await this.leftOut(change.saved);
    return { collections, views: views.length, changed: this.changed, brokenViews: this.brokenViews, leftOut };
  }

  /** Removes the collections of the target: those of a new database, or those that are replaced. */
  private async clear(): Promise<void> {
    const name = DEFINITIONS.name;
    const columns = ['name', 'type'].map((each) => ({ value: column(name, each), as: each }));
    const present = await this.target.all<{ name: string; type: string }>({
      kind: 'select',
      columns,
      from: table(name),
    });
    const isView = ({ type }: { type: string }): boolean => type === 'view';
    for (const view of present.filter(isView)) await this.schema.dropView(view.name);
    const tables = present.filter((each) => !isView(each));
    await this.schema.apply(tables.map((each) => ({ kind: 'dropTable', table: each.name })));
    for (const each of [DEFINITIONS, ...SYSTEM_TABLES]) await new TableRows(this.target, each).clear();
  }

  private async createIndexes(indexes: readonly SchemaChange[]): Promise<void> {
    try {
      await this.schema.apply(indexes);
    } catch (error) {
      if (!(error instanceof IndexRefusedError)) throw error;
      const which = `index ${error.position + 1} of the collection ${error.collection}`;
      throw new CopyError(`The ${which} cannot be made there: ${error.message}`, { cause: error });
    }
  }

  /** Creates the views and gives them with their fields. A view that is broken in the source may be broken here. */
  private async createViews(change: CatalogChange): Promise<readonly Collection[]> {
    const worked = await new SchemaSync(this.source).takenNames();
    const refused: string[] = [];
    const created: Collection[] = [];
    let catalog = change.after;
    for (const view of change.viewsAfter()) {
      try {
        const made = await this.target.transaction(() => this.views.create(view, catalog));
        catalog = catalog.with([made]);
        created.push(made);
      } catch (error) {
        if (!(error instanceof ViewQueryError)) throw error;
        if (!worked.has(view.name.toLowerCase())) continue;
        refused.push(`${view.name}: ${error.message}`);
        this.brokenViews.push(view.name);
      }
    }
    if (refused.length === 0 || this.options.mayBreakViews) return created;
    throw new CopyError(`Views have queries that the other database does not take. ${refused.join('; ')}`);
  }

  private async copyCollections(all: readonly Collection[]): Promise<CopiedCollection[]> {
    const copied: CopiedCollection[] = [];
    for (const collection of all) {
      if (collection.isView) continue;
      const { count, checksum } = await this.copyTable(tableOf(collection));
      const result = { name: collection.name, records: count, checksum };
      this.options.onCollection?.(result);
      copied.push(result);
    }
    return copied;
  }

  /**
   * Copies definitions as they are stored, secrets included, except for the fields of views, which their queries
   * decide.
   */
  private async copyDefinitions(stored: readonly CopiedRow[], views: readonly Collection[]): Promise<void> {
    const fields = new Map(views.map((view) => [view.id, JSON.stringify(view.fields)]));
    const rows = stored.map((row) => {
      const inferred = fields.get(String(row['id']));
      return inferred === undefined ? row : { ...row, fields: inferred };
    });
    await this.put(DEFINITIONS, [rows]);
  }

  private copyTable(which: CopiedTable): Promise<{ count: number; checksum: string }> {
    return this.put(which, new TableRows(this.source, which).pages());
  }

  /** Writes pages of rows and reads them back. */
  private async put(
    which: CopiedTable,
    pages: AsyncIterable<readonly CopiedRow[]> | Iterable<readonly CopiedRow[]>,
  ): Promise<{ count: number; checksum: string }> {
    const rows = new TableRows(this.target, which);
    const repairs = new Repairs(which, this.target.dialect);
    const original = new RowsDigest(which);
    for await (const page of pages) {
      const sound = repairs.of(page);
      original.add(sound);
      await rows.add(sound);
      this.options.onProgress?.({ table: which.name, rows: original.count });
    }
    const copied = await rows.digest();
    if (original.count !== copied.count || original.sum() !== copied.sum()) {
      throw new CopyError(`The rows of ${which.name} did not arrive as they were.`);
    }
    this.changed.push(...repairs.lines());
    return { count: copied.count, checksum: copied.sum() };
  }

  private async leftOut(collections: readonly Collection[]): Promise<string[]> {
    const known = new Set([...collections, DEFINITIONS, ...SYSTEM_TABLES, LOGS].map(({ name }) => name));
    const present = await new SchemaSync(this.source).tableNames();
    return present.filter((name) => !known.has(name) && !NOT_COPIED.has(name)).sort();
  }
}

async function allRows(database: Database, which: CopiedTable): Promise<readonly CopiedRow[]> {
  const all: CopiedRow[] = [];
  for await (const rows of new TableRows(database, which).pages()) all.push(...rows);
  return all;
}
