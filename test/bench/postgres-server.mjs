import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const DEBIAN = '/usr/lib/postgresql';

/** A PostgreSQL server with the settings it comes with, on a free port and files of its own, for one suite. */
export class PostgresServer {
  #child;
  #dir;
  #launch;

  /** `pin` goes before its command, so that it has a core to run on. */
  static async start(pin = []) {
    const server = new PostgresServer();
    await server.#start(pin);
    return server;
  }

  get pid() {
    return this.#child.pid;
  }

  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    await ended;
    rmSync(this.#dir, { recursive: true, force: true });
  }

  /** Ends it with a signal, SIGINT for a fast end and SIGQUIT for that of a crash, and starts it again. */
  async restart(signal) {
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
    await this.#launch();
  }

  /** Runs a statement; its rows. */
  async run(sql) {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async #start(pin) {
    const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
    const programs = versions.map((each) => join(DEBIAN, each, 'bin')).find((each) => existsSync(join(each, 'initdb')));
    if (!programs) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
    const dir = mkdtempSync(join(tmpdir(), 'roost-bench-postgres-'));
    this.#dir = dir;
    const owner = unprivileged();
    if (owner) chownSync(dir, owner.uid, owner.gid);
    const as = { cwd: dir, ...owner };
    const init = ['-D', join(dir, 'data'), '-U', 'roost', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
    execFileSync(join(programs, 'initdb'), init, { stdio: 'pipe', ...as });
    const port = await freePort();
    const serve = ['-D', join(dir, 'data'), '-h', '127.0.0.1', '-p', String(port), '-k', dir];
    const [command, ...args] = [...pin, join(programs, 'postgres'), ...serve];
    this.url = `postgres://roost@127.0.0.1:${port}/postgres`;
    this.#launch = async () => {
      this.#child = spawn(command, args, { stdio: 'ignore', ...as });
      await this.#untilReady();
    };
    await this.#launch();
  }

  async #untilReady() {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.run('SELECT 1');
        return;
      } catch (error) {
        if (attempt > 600 || this.#child.exitCode !== null) throw error;
        await sleep(50);
      }
    }
  }
}

/** The server refuses to run as root. */
function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (kind) => Number(spawnSync('id', [kind, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A port of the loopback interface that nothing listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
