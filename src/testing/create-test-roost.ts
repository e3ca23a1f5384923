import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Startup } from '../cli/startup.js';
import { CollectionsService } from '../collections/collections.service.js';
import { createRoost } from '../create-roost.js';
import type { RoostImport, RoostOptions } from '../roost-options.js';
import { RecordsService } from '../records/records.service.js';
import { TokensService } from '../tokens/tokens.service.js';
import { type CapturedMail, CapturedMails } from './captured-mails.js';
import { TestClock } from './test-clock.js';

/** What a test application is made of. */
export interface TestRoostOptions {
  readonly imports?: readonly RoostImport[];
  /** Overrides by the names of the environment variables. */
  readonly config?: RoostOptions['config'];
  /** A data directory to start on; it is kept. A temporary one that is removed afterwards when absent. */
  readonly dir?: string;
  readonly configureApp?: RoostOptions['configureApp'];
}

/** A request without a network. `body` is sent as JSON, a FormData as multipart. */
export interface TestRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS';
  readonly url: string;
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer, its JSON already parsed: `{}` when there is none. */
export interface TestResponse {
  readonly status: number;
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
}

/**
 * A running application on a data directory of its own, without a listening socket until `listen` is called.
 * Two of them can live in one process. `close` stops it and removes a temporary directory.
 */
export class TestRoost {
  readonly mails: readonly CapturedMail[];
  private origin: string | undefined;

  private constructor(
    readonly app: NestFastifyApplication,
    readonly dir: string,
    readonly clock: TestClock,
    captured: CapturedMails,
    private readonly temporary: boolean,
  ) {
    this.mails = captured.all;
  }

  static async create(options: TestRoostOptions = {}): Promise<TestRoost> {
    const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'roost-test-'));
    const clock = new TestClock();
    const captured = new CapturedMails();
    const { app } = await createRoost(
      {
        imports: [...(options.imports ?? [])],
        config: { ROOST_DIR: dir, ROOST_PUBLIC_DIR: join(dir, 'public'), ROOST_MIGRATIONS_DIR: join(dir, 'migrations'), ...options.config },
        configureApp: options.configureApp,
        clock,
        mailTransport: captured,
      },
      { argv: [], env: { DATABASE_DRIVER: process.env['DATABASE_DRIVER'] }, cwd: dir },
    );
    await app.get(Startup).open(true);
    await app.getHttpAdapter().getInstance().ready();
    return new TestRoost(app, dir, clock, captured, options.dir === undefined);
  }
}
