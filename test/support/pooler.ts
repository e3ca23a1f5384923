import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.js';
import { type PostgresCluster, unprivileged } from './postgres-cluster.js';

const PROGRAM = '/usr/sbin/pgbouncer';

/** A pooler in transaction mode before a cluster, on the loopback interface. Debian's package `pgbouncer`. */
export class Pooler {
  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    private readonly port: number,
  ) {}

  static get isInstalled(): boolean {
    return existsSync(PROGRAM);
  }

  /**
   * With so few sessions that transactions of one client are in another one all the time. `ignores` is what connections
   * may say of themselves without being refused.
   */
  static async start(cluster: PostgresCluster, { sessions = 5, ignores = '' } = {}): Promise<Pooler> {
    const directory = mkdtempSync(join(tmpdir(), 'roost-pooler-'));
    const owner = unprivileged();
    const port = await freePort();
    const [settings, roles] = ['pgbouncer.ini', 'roles.txt'].map((name) => join(directory, name)) as [string, string];
    writeFileSync(roles, '"roost" ""\n');
    writeFileSync(
      settings,
      `[databases]
* = host=127.0.0.1 port=${cluster.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${roles}
pool_mode = transaction
default_pool_size = ${sessions}
max_client_conn = 500
server_fast_close = 1
ignore_startup_parameters = ${ignores}
`,
    );
    if (owner) for (const path of [directory, settings, roles]) chownSync(path, owner.uid, owner.gid);
    const child = spawn(PROGRAM, ['-q', settings], { stdio: 'ignore', cwd: directory, ...owner });
    const pooler = new Pooler(child, directory, port);
    await pooler.untilReady();
    return pooler;
  }

  /** The address of a database of its cluster that leads through it. */
  through(address: string): string {
    const url = new URL(address);
    url.port = String(this.port);
    return url.href;
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGINT');
    await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async untilReady(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const client = new pg.Client({ connectionString: `postgres://roost@127.0.0.1:${this.port}/postgres` });
      client.on('error', () => undefined);
      try {
        await client.connect();
        return;
      } catch (error) {
        if (attempt > 600 || this.child.exitCode !== null) throw error;
        await sleep(50);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  }
}
