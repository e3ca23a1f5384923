import { isDeepStrictEqual } from 'node:util';
import { Module, type Provider, type Type } from '@nestjs/common';
import { CollectionStore } from '../../../src/collections/collection-store.js';
import { CollectionsService } from '../../../src/collections/collections.service.js';
import { Database } from '../../../src/database/database.js';
import type { CollectionBody } from '../../../src/kernel/collections/collection-body.js';
import { collectionToJson } from '../../../src/kernel/collections/collection-json.js';
import type { TestRoost } from '../../../src/testing/index.js';
import { CLUSTER } from '../../support/postgres-databases.js';
import { startRoost } from '../../support/roost.js';

/** How an application for a test differs from the usual one. */
export interface CollectionsAppOptions {
  readonly imports?: readonly Type[];
  readonly providers?: readonly Provider[];
  /** Overrides by the names of the environment variables. */
  readonly config?: Readonly<Record<string, string | number>>;
  /** A data directory to start on; it is kept. */
  readonly dir?: string;
}

const SQLITE_SCHEMA = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name';
/** What stands for SQLite's list of tables, indexes and views in a query over it. */
const SCHEMA_VIEW = `(SELECT c.relname::text AS name, CASE c.relkind WHEN 'v' THEN 'view' WHEN 'i' THEN 'index' ELSE 'table' END AS type,
    COALESCE(t.relname, c.relname)::text AS tbl_name, pg_get_indexdef(c.oid) AS sql
  FROM pg_class c LEFT JOIN pg_index ON indexrelid = c.oid LEFT JOIN pg_class t ON t.oid = indrelid
    LEFT JOIN pg_constraint ON conindid = indexrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'v', 'i') AND conindid IS NULL) AS sqlite_schema`;
const POSTGRES_SCHEMA = `SELECT relname AS name, relkind AS type, CASE relkind
    WHEN 'i' THEN pg_get_indexdef(oid) WHEN 'v' THEN pg_get_viewdef(oid) ELSE (
      SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) END AS sql
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace ORDER BY relname`;

/** An application, seen from its collections. */
export class CollectionsApp {
  readonly collections: CollectionsService;
  readonly store: CollectionStore;
  readonly database: Database;
  /** What it began with. */
  private first: { readonly exported: CollectionBody[]; readonly all: unknown } | undefined;

  private constructor(readonly roost: TestRoost) {
    this.collections = this.get(CollectionsService);
    this.store = this.get(CollectionStore);
    this.database = this.get(Database);
  }

  static async start(options: CollectionsAppOptions = {}): Promise<CollectionsApp> {
    const { config, dir, imports = [], providers = [] } = options;

    @Module({ imports: [...imports], providers: [...providers] })
    class TestModule {}

    return new CollectionsApp(await startRoost({ config, dir, imports: [TestModule] }));
  }

  /**
   * One that has nothing but what a new application has: the last one, where everything that came to it can be deleted
   * again, which takes a part of the time of a start.
   */
  static async asNew(last: CollectionsApp | undefined, options: CollectionsAppOptions = {}): Promise<CollectionsApp> {
    if (last && (await last.clear())) return last;
    await last?.stop();
    const app = await CollectionsApp.start(options);
    app.first = { exported: app.exported(), all: await app.everything() };
    return app;
  }

  get clock() {
    return this.roost.clock;
  }

  get dir(): string {
    return this.roost.dir;
  }

  get<T>(token: Type<T>): T {
    return this.roost.app.get(token, { strict: false });
  }

  stop(): Promise<void> {
    return this.roost.close();
  }

  /** Runs SQL as it is, as somebody with a database tool would. */
  async sql<Row = Record<string, unknown>>(sql: string, ...params: (string | number | null)[]): Promise<Row[]> {
    let place = 0;
    const text =
      CLUSTER === undefined ? sql : sql.replace('sqlite_schema', SCHEMA_VIEW).replace(/\?/g, () => `$${++place}`);
    if (/^\s*(SELECT|PRAGMA|EXPLAIN)/i.test(sql)) return this.database.all<Row>({ sql: text, params });
    await this.database.run({ sql: text, params });
    return [];
  }

  /** All definitions as clients see them. */
  exported(): Record<string, unknown>[] {
    return this.collections.all().map(collectionToJson);
  }

  /** Everything of the schema and the stored definitions, to compare before and after. */
  async state(): Promise<unknown> {
    const schema = await this.sql(CLUSTER === undefined ? SQLITE_SCHEMA : POSTGRES_SCHEMA);
    const rows = await this.sql('SELECT * FROM _collections ORDER BY id');
    return { schema, rows, catalog: this.exported() };
  }

  /** Deletes what has come since the start. False when anything is not as it was. */
  private async clear(): Promise<boolean> {
    if (!this.first) return false;
    try {
      await this.collections.import(this.first.exported, { deleteMissing: true });
      return isDeepStrictEqual(await this.everything(), this.first.all);
    } catch {
      return false;
    }
  }

  /** The state without the times of changes, and how many records there are. */
  private async everything(): Promise<unknown> {
    const counts = this.collections.all().map(async ({ name }) => this.sql(`SELECT count(*) AS n FROM "${name}"`));
    const timeless = (key: string, value: unknown) => (key === 'created' || key === 'updated' ? undefined : value);
    return JSON.parse(JSON.stringify([await this.state(), await Promise.all(counts)], timeless));
  }

  /** What a change is refused with. */
  // Tests look into error bodies of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  async refusal(work: Promise<unknown>): Promise<any> {
    const error = await work.then(
      () => {
        throw new Error('It was not refused.');
      },
      (reason: unknown) => reason,
    );
    if (typeof (error as { toBody?: unknown }).toBody !== 'function') throw error;
    return (error as { toBody(): unknown }).toBody();
  }

  create(body: CollectionBody) {
    return this.collections.create(body);
  }

  update(name: string, body: CollectionBody) {
    return this.collections.update(name, body);
  }
}
