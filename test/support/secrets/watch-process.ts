import type { EventEmitter } from 'node:events';
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type BetterSqlite3 from 'better-sqlite3';
import { readConfig } from '../../../src/config/read-config.js';
import { Sqlite } from '../sqlite.js';
import { SecretWatch } from './secret-watch.js';
import { type ReadRows, storedSecrets } from './stored-secrets.js';
import type { ExchangeObserver } from './traffic-tee.mjs';

const RECORDER = new URL('traffic-recorder.mjs', import.meta.url).href;

const LOG = `SELECT "message" || ' ' || "data" AS "text" FROM "_logs"`;

/** A line of a record of traffic: the exchange, what it is about, and a text, bytes in base64 or a head. */
type RecordedLine =
  | readonly [id: number, kind: 'from', value: string]
  | readonly [id: number, kind: 'asked' | 'told', value: string]
  | readonly [id: number, kind: 'head', value: readonly [text: string, encoding: string]]
  | readonly [id: number, kind: 'ended'];

/**
 * Looks at what a started program prints, at every answer its servers give and, when it has ended, at the log in its
 * data directory. The same counts as a secret as in `watchForSecrets`, as far as it is stored at the end.
 */
export class ProcessWatch {
  private readonly traffic = mkdtempSync(join(tmpdir(), 'roost-traffic-'));
  private readonly record = join(this.traffic, 'record');
  private readonly watch: SecretWatch;
  private readonly data: string | undefined;

  constructor(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    this.data = dataDirectory(args, cwd, env);
    this.watch = new SecretWatch(() => this.stored('data.db', storedSecrets));
    const [command, , , password] = args;
    if (command === 'superuser') this.watch.plant([password]);
  }

  /** The arguments for Node.js that let it see the traffic. */
  get nodeArgs(): string[] {
    return ['--import', `${RECORDER}?to=${encodeURIComponent(this.record)}`];
  }

  /** Looks at what a started process prints. */
  follow({ stdout, stderr }: { readonly [stream in 'stdout' | 'stderr']: EventEmitter | null }): void {
    stdout!.on('data', this.watch.source('the standard output'));
    stderr!.on('data', this.watch.source('the standard error output'));
  }

  /** Call it when the process has ended and its data directory is still there. Rejects when it told a secret. */
  async verdict(): Promise<void> {
    if (existsSync(this.record)) await this.replay();
    rmSync(this.traffic, { recursive: true, force: true });
    await this.watch.learn();
    for (const { text } of await this.stored('auxiliary.db', (read) => read(LOG))) {
      this.watch.tell('the log', text as string);
    }
    await this.watch.verdict();
  }

  private async replay(): Promise<void> {
    const exchanges = new Map<number, ExchangeObserver>();
    for await (const line of createInterface({ input: createReadStream(this.record) })) {
      const recorded = parsed(line);
      if (!recorded) continue;
      const [id, kind, value] = recorded;
      if (kind === 'from') exchanges.set(id, this.watch.exchange(value));
      const exchange = exchanges.get(id)!;
      if (kind === 'asked' || kind === 'told') exchange[kind](Buffer.from(value, 'base64'));
      if (kind === 'head') exchange.head(...value);
      if (kind === 'ended') exchange.ended();
    }
  }

  private stored<Row>(file: string, work: (read: ReadRows) => Promise<readonly Row[]>): Promise<readonly Row[]> {
    return this.data === undefined ? Promise.resolve([]) : readDatabase(join(this.data, file), work);
  }
}

/** The last line is cut off when the process was killed while it wrote it. */
function parsed(line: string): RecordedLine | undefined {
  try {
    return JSON.parse(line) as RecordedLine;
  } catch {
    return undefined;
  }
}

/** Where a program that is started like this keeps its data; undefined when it refuses to start. */
function dataDirectory(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): string | undefined {
  try {
    return readConfig({ argv: args, env, cwd }).config.dir;
  } catch {
    return undefined;
  }
}

/** What a database file holds; nothing when it is not there, has no tables yet or is damaged, as some tests want it. */
async function readDatabase<Row>(
  file: string,
  work: (read: ReadRows) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  let database: BetterSqlite3.Database | undefined;
  try {
    database = new Sqlite(file, { readonly: true, fileMustExist: true });
    const opened = database;
    return await work((sql) => Promise.resolve(opened.prepare<[], Record<string, unknown>>(sql).all()));
  } catch {
    return [];
  } finally {
    database?.close();
  }
}
