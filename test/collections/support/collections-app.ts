import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type INestApplicationContext, Module, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CollectionStore } from '../../../src/collections/collection-store.js';
import { CollectionsModule } from '../../../src/collections/collections.module.js';
import { CollectionsService } from '../../../src/collections/collections.service.js';
import { ConfigModule } from '../../../src/config/config.module.js';
import { readConfig } from '../../../src/config/read-config.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import { Database } from '../../../src/database/database.js';
import { EventsModule } from '../../../src/events/events.module.js';
import { HttpModule } from '../../../src/http/http.module.js';
import { HooksModule } from '../../../src/hooks/hooks.module.js';
import { collectionToJson } from '../../../src/kernel/collections/collection-json.js';
import type { CollectionBody } from '../../../src/kernel/collections/collection-body.js';
import { TestClock } from '../../../src/testing/test-clock.js';

/** How an application for a test differs from the usual one. */
export interface CollectionsAppOptions {
  readonly imports?: readonly Type[];
  readonly providers?: readonly Provider[];
  /** Overrides by the names of the environment variables. */
  readonly config?: Readonly<Record<string, string | number>>;
  /** A data directory to start on; it is kept. */
  readonly dir?: string;
}

/** Collections and what is below them, on a data directory of their own: no records, no HTTP. */
export class CollectionsApp {
  readonly collections: CollectionsService;
  readonly store: CollectionStore;
  readonly database: Database;

  private constructor(
    readonly context: INestApplicationContext,
    readonly dir: string,
    readonly clock: TestClock,
    private readonly temporary: boolean,
  ) {
    this.collections = context.get(CollectionsService);
    this.store = context.get(CollectionStore);
    this.database = context.get(Database);
  }

  static async start(options: CollectionsAppOptions = {}): Promise<CollectionsApp> {
    const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'roost-collections-'));
    const env = { DATABASE_DRIVER: process.env.DATABASE_DRIVER };
    const { config } = readConfig({ argv: ['serve'], env, cwd: dir, overrides: { ROOST_DIR: dir, ...options.config } });
    const clock = new TestClock();
    const imports = [
      ConfigModule.forRoot(config, clock),
      HttpModule,
      DatabaseModule,
      HooksModule,
      EventsModule,
      CollectionsModule,
      ...(options.imports ?? []),
    ];

    @Module({ imports, providers: [...(options.providers ?? [])] })
    class TestModule {}

    const context = await NestFactory.createApplicationContext(TestModule, { logger: false, abortOnError: false });
    await context.get(Database).open();
    await context.get(CollectionStore).load();
    return new CollectionsApp(context, dir, clock, options.dir === undefined);
  }

  async stop(): Promise<void> {
    await this.context.close();
    if (this.temporary) rmSync(this.dir, { recursive: true, force: true });
  }

  /** Runs SQL as it is, as somebody with a database tool would. */
  async sql<Row = Record<string, unknown>>(sql: string, ...params: (string | number | null)[]): Promise<Row[]> {
    if (/^\s*(SELECT|PRAGMA|EXPLAIN)/i.test(sql)) return this.database.all<Row>({ sql, params });
    await this.database.run({ sql, params });
    return [];
  }

  /** All definitions as clients see them. */
  exported(): Record<string, unknown>[] {
    return this.collections.all().map(collectionToJson);
  }

  /** Everything of the schema and the stored definitions, to compare before and after. */
  async state(): Promise<unknown> {
    const schema = await this.sql('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name');
    const rows = await this.sql('SELECT * FROM _collections ORDER BY id');
    return { schema, rows, catalog: this.exported() };
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
