import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.js';
import { RoundRobin } from '../support/round-robin.js';
import { TcpForwarder } from '../support/tcp-forwarder.js';

/** A process that serves. */
export interface RunningInstance {
  /** Ends it as a crash would. */
  kill(): Promise<unknown>;
  stop(): Promise<unknown>;
}

/** How a process is started; resolves when it serves. `dir` is its data directory. */
export type StartInstance = (options: {
  readonly flags: readonly string[];
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
}) => Promise<RunningInstance>;

/** What a cluster is made of. */
export interface ClusterParts {
  readonly databaseUrl: string;
  /** Undefined where PostgreSQL itself carries what instances tell each other. */
  readonly redisPort?: number;
  /** The built program, for commands. */
  readonly main: string;
  readonly start: StartInstance;
  /** Goes before the command of the proxy. */
  readonly pin?: readonly string[];
}

/** One of the instances: always at the same address, whichever process serves there. */
export interface ClusterInstance {
  /** As answers name it that come through the proxy. */
  readonly address: string;
  readonly port: number;
  /** The way to Redis of this one alone, where there is one. */
  readonly redis?: TcpForwarder;
  process: RunningInstance;
}

export const SUPERUSER = { identity: 'a@example.com', password: 'correct horse' } as const;

const COUNTERS = {
  name: 'counters',
  type: 'base',
  fields: [{ type: 'number', name: 'count' }],
  // A rule that asks something of each record, so that events are checked for everybody who listens.
  listRule: 'count >= 0',
  viewRule: 'count >= 0',
  createRule: '',
  updateRule: '',
  deleteRule: '',
};

/**
 * Instances on one PostgreSQL, and one Redis where they are told of it, behind a round-robin proxy, and a collection
 * that everybody may write to.
 */
export class ClusterUnderTest {
  private readonly directory = mkdtempSync(join(tmpdir(), 'roost-instances-'));
  readonly instances: ClusterInstance[] = [];
  /** Also those of instances that did not come to serve. */
  private readonly forwarders: TcpForwarder[] = [];
  private started = 0;
  proxy!: RoundRobin;
  token = '';

  private constructor(private readonly parts: ClusterParts) {}

  static async start(parts: ClusterParts, count = 3): Promise<ClusterUnderTest> {
    const cluster = new ClusterUnderTest(parts);
    try {
      await cluster.begin(count);
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Where clients go. */
  get origin(): string {
    return this.proxy.origin;
  }

  /** Kills the process of an instance. */
  async kill(instance: ClusterInstance): Promise<void> {
    await instance.process.kill();
  }

  /** Starts another process in its place. */
  async replace(instance: ClusterInstance): Promise<void> {
    instance.process = await this.launch(instance);
  }

  async stop(): Promise<void> {
    await this.proxy?.stop();
    await Promise.all(this.instances.map(({ process }) => process.stop()));
    for (const forwarder of this.forwarders) await forwarder.cut();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Asks one of them; throws unless it does it. */
  async ask({ port }: { readonly port: number }, path: string, body?: unknown, method = 'POST'): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
      method: body === undefined ? 'GET' : method,
      headers: { authorization: this.token, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  private async begin(count: number): Promise<void> {
    // All at the same moment, on an empty database.
    const starting = Array.from({ length: count }, async () => {
      const { redisPort } = this.parts;
      const redis = redisPort === undefined ? undefined : await TcpForwarder.to(redisPort);
      if (redis) this.forwarders.push(redis);
      const port = await freePort();
      const place = { address: `127.0.0.1:${port}`, port, redis };
      this.instances.push({ ...place, process: await this.launch(place) });
    });
    const failure = (await Promise.allSettled(starting)).find(({ status }) => status === 'rejected');
    if (failure) throw (failure as PromiseRejectedResult).reason;
    this.proxy = await RoundRobin.start(
      this.instances.map(({ port }) => port),
      this.parts.pin,
    );
    const upsert = ['superuser', 'upsert', SUPERUSER.identity, SUPERUSER.password, `--dir=${this.directory}/command`];
    execFileSync(process.execPath, [this.parts.main, ...upsert], {
      cwd: this.directory,
      env: { ...process.env, DATABASE_URL: this.parts.databaseUrl },
    });
    const path = 'collections/_superusers/auth-with-password';
    const { token } = (await this.ask(this.proxy, path, SUPERUSER)) as { token: string };
    this.token = token;
    await this.ask(this.proxy, 'collections', COUNTERS);
  }

  private launch({ port, redis }: { readonly port: number; readonly redis?: TcpForwarder }): Promise<RunningInstance> {
    const dir = join(this.directory, `data${++this.started}`);
    return this.parts.start({
      dir,
      flags: [`--http=127.0.0.1:${port}`, '--sharedStorage'],
      env: {
        DATABASE_URL: this.parts.databaseUrl,
        ...(redis ? { REDIS_URL: `redis://127.0.0.1:${redis.port}` } : { ROOST_SHARED: 'true' }),
      },
    });
  }
}
