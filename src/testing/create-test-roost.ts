import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { TestingModuleBuilder } from '@nestjs/testing';
import { assembleRoost, type MakeApplication } from '../assemble-roost.js';
import { Startup } from '../cli/startup.js';
import type { Replacement } from '../config/replaceable.js';
import { CronsService } from '../crons/crons.service.js';
import { BACKLOG } from '../http/adapter/connections.js';
import { CapturedMails } from '../mail/captured-mails.js';
import type { Mail } from '../mail/mail-transport.js';
import type { RoostImport, RoostOptions } from '../roost-options.js';
import { temporaryPlaces, withCapturedMails } from '../roost.module.js';
import { RecordsService } from '../records/records.service.js';
import { AuthRecords } from '../records/auth-records.js';
import { CollectionStore } from '../collections/collection-store.js';
import { TokensService } from '../tokens/tokens.service.js';
import { TestClock } from './test-clock.js';

/** What a test application is made of. */
export interface TestRoostOptions {
  readonly imports?: readonly RoostImport[];
  readonly replace?: readonly Replacement[];
  /**
   * Overrides of any provider, with Nest's own means: `(builder) => builder.overrideProvider(Rates).useValue(fixed)`.
   * Needs the package `@nestjs/testing`.
   */
  readonly override?: (builder: TestingModuleBuilder) => TestingModuleBuilder;
  /** Overrides by the names of the environment variables. */
  readonly config?: RoostOptions['config'];
  /** A data directory to start on; it is kept. When absent a temporary one is made and removed at the end. */
  readonly dir?: string;
  readonly configureApp?: RoostOptions['configureApp'];
  readonly api?: RoostOptions['api'];
  /** Environment of the process, for what `config` does not cover. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** False leaves the mail settings in force instead of capturing mails. */
  readonly captureMails?: boolean;
}

/** A request without a network. `body` is sent as JSON, a FormData or a string as it is. */
export interface TestRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS';
  readonly url: string;
  readonly body?: unknown;
  /** Goes into the Authorization header. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
}

/** An answer; `body` is its parsed JSON, undefined when there is none. */
export interface TestResponse {
  readonly status: number;
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
  readonly text: string;
  readonly raw: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
}

/**
 * A running application on a data directory of its own, without a listening socket until `listen` is called.
 * Several can live in one process. `close` stops it and removes a temporary directory.
 */
export class TestRoost {
  private origin: string | undefined;

  /** Use `createTestRoost`. */
  constructor(
    readonly app: NestFastifyApplication,
    readonly dir: string,
    readonly clock: TestClock,
    /** Every mail that was sent, in order. */
    readonly mails: readonly Mail[],
    private readonly temporary: boolean,
  ) {}

  /** An HTTP call without a network. */
  async inject(request: TestRequest): Promise<TestResponse> {
    const { body } = request;
    const payload = body instanceof FormData ? new Response(body) : undefined;
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const response = await this.app
      .getHttpAdapter()
      .getInstance()
      .inject({
        method: request.method ?? (body === undefined ? 'GET' : 'POST'),
        url: request.url,
        headers: {
          ...(payload ? { 'content-type': payload.headers.get('content-type')! } : {}),
          ...(body !== undefined && !payload && !isText ? { 'content-type': 'application/json' } : {}),
          ...(request.token ? { authorization: request.token } : {}),
          ...request.headers,
        },
        payload: payload
          ? Buffer.from(await payload.arrayBuffer())
          : isText
            ? (body as string)
            : body === undefined
              ? undefined
              : JSON.stringify(body),
        remoteAddress: request.remoteAddress,
      });
    return {
      status: response.statusCode,
      body: parseJson(response.payload),
      text: response.payload,
      raw: response.rawPayload,
      headers: response.headers,
    };
  }

  /** Opens a socket on a free port of the loopback interface; the address without a slash at its end. */
  async listen(): Promise<string> {
    if (this.origin === undefined) {
      await this.app.getHttpAdapter().getInstance().listen({ host: '127.0.0.1', port: 0, backlog: BACKLOG });
      const { port } = this.app.getHttpServer().address() as AddressInfo;
      this.origin = `http://127.0.0.1:${port}`;
    }
    return this.origin;
  }

  /** Creates a superuser and signs it in; the token. One that is there already, after `createCollections`, is taken. */
  async createSuperuser(email = 'root@example.com', password = '1234567890'): Promise<string> {
    const records = this.app.get(RecordsService, { strict: false });
    const present = await records.findFirst('_superusers', 'email = {:email}', { email });
    if (present) await records.update('_superusers', present.id, { password });
    else await records.create('_superusers', { email, password });
    return this.signIn('_superusers', email);
  }

  /** Creates (or imports) collections from plain definitions. Relations may point anywhere in the list. */
  async createCollections(...collections: readonly Record<string, unknown>[]): Promise<void> {
    const token = await this.anySuperuserToken();
    const response = await this.inject({ method: 'PUT', url: '/api/collections/import', token, body: { collections } });
    if (response.status !== 204) throw new Error(`The collections were refused: ${response.text}`);
  }

  /** A token of the account with this email, without asking for its password. */
  async signIn(collection: string, email: string): Promise<string> {
    const target = this.app.get(CollectionStore, { strict: false }).catalog.find(collection);
    const record =
      target && (await this.app.get(AuthRecords, { strict: false }).findByIdentity(target, 'email', email));
    if (!record) throw new Error(`There is no account ${email} in ${collection}.`);
    return this.app.get(TokensService, { strict: false }).issue(record, 'auth', { refreshable: true });
  }

  /** Stops the application; removes its data directory when that was a temporary one. */
  async close(): Promise<void> {
    await this.app.close();
    if (this.temporary) rmSync(this.dir, { recursive: true, force: true });
  }

  private async anySuperuserToken(): Promise<string> {
    const records = this.app.get(RecordsService, { strict: false });
    const first = await records.findFirst('_superusers', "id != ''");
    return first ? this.signIn('_superusers', first.get('email') as string) : this.createSuperuser();
  }
}

/** Starts an application for tests. Close it when the test ends. */
export async function createTestRoost(options: TestRoostOptions = {}): Promise<TestRoost> {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'roost-test-'));
  const clock = new TestClock();
  const mails = new CapturedMails();
  const replace = options.captureMails === false ? options.replace : withCapturedMails(options.replace, mails);
  const { app } = await assembleRoost(
    {
      imports: options.imports,
      replace,
      config: { ...temporaryPlaces(dir), ...options.config },
      configureApp: options.configureApp,
      api: options.api,
      clock,
    },
    { argv: [], env: options.env ?? {}, cwd: dir },
    options.override && overriding(options.override),
  );
  try {
    await app.get(Startup).prepare('serving');
    await app.getHttpAdapter().getInstance().ready();
    const crons = app.get(CronsService, { strict: false });
    clock.drive((after, until, turn) => crons.runDue(after, until, turn));
  } catch (error) {
    await app.close();
    throw error;
  }
  return new TestRoost(app, dir, clock, mails.all, options.dir === undefined);
}

/** Builds the application through Nest's testing module, which can override any provider. */
function overriding(override: NonNullable<TestRoostOptions['override']>): MakeApplication {
  return async (root, adapter, nestOptions) => {
    const { Test } = await import('@nestjs/testing');
    const module = await override(Test.createTestingModule({ imports: [root] })).compile();
    return module.createNestApplication<NestFastifyApplication>(adapter, nestOptions);
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
