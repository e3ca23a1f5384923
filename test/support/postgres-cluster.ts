import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './free-port.js';
import { makeDataDirectory } from './postgres-template.js';

const DEBIAN = '/usr/lib/postgresql';

/** A PostgreSQL server of its own for a run of tests, on a free port of the loopback interface (SCALE-10). */
export class PostgresCluster {
  private databases = 0;

  private constructor(
    private readonly directory: string,
    readonly port: number,
    private server: ChildProcess,
  ) {}

  /** Undefined where PostgreSQL is not installed. */
  static get programs(): string | undefined {
    const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
    return versions.map((version) => join(DEBIAN, version, 'bin')).find((path) => existsSync(join(path, 'initdb')));
  }

  /** With `tls` it has a certificate that nobody has signed but itself. The role `guarded` needs its password. */
  static async start({ tls = false }: { readonly tls?: boolean } = {}): Promise<PostgresCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'roost-postgres-'));
    const owner = unprivileged();
    if (owner) chownSync(directory, owner.uid, owner.gid);
    const data = join(directory, 'data');
    makeDataDirectory(data, (path) => {
      const options = ['-D', path, '-U', 'roost', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N'];
      execFileSync(join(requirePrograms(), 'initdb'), options, { stdio: 'pipe', cwd: directory, ...owner });
    });
    const rules = join(data, 'pg_hba.conf');
    writeFileSync(rules, `host all guarded 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`);
    if (tls) makeCertificate(data, owner);
    const port = await freePort();
    const cluster = new PostgresCluster(directory, port, launch(directory, port));
    await cluster.untilReady();
    return cluster;
  }

  /** Another one that follows it, and has each of its commits before they are acknowledged. */
  async newStandby(): Promise<PostgresCluster> {
    const directory = mkdtempSync(join(tmpdir(), 'roost-postgres-'));
    const owner = unprivileged();
    if (owner) chownSync(directory, owner.uid, owner.gid);
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', 'roost'];
    const options = ['-D', join(directory, 'data'), '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
    execFileSync(join(requirePrograms(), 'pg_basebackup'), [...from, ...options], {
      stdio: 'pipe',
      cwd: directory,
      ...owner,
    });
    const port = await freePort();
    const standby = new PostgresCluster(directory, port, launch(directory, port));
    await standby.untilReady();
    await this.administer("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.administer('SELECT pg_reload_conf()');
    return standby;
  }

  /** A standby takes changes from now on. */
  async promote(): Promise<void> {
    await this.administer('SELECT pg_promote()');
  }

  /** The address of a new, empty database. `options` are those of CREATE DATABASE. */
  async newDatabase(options = ''): Promise<string> {
    const name = `roost_${++this.databases}`;
    await this.administer(`CREATE DATABASE ${name} ${options}`);
    return this.urlOf(name);
  }

  /** Ends it as a crash would, and starts it again. */
  async restart(): Promise<void> {
    await this.pause();
    await this.resume();
  }

  /** Ends what it is at, and starts it again: `pg_ctl restart -m fast`. */
  async restartFast(): Promise<void> {
    await this.end('SIGINT');
    await this.resume();
  }

  /** Ends it for a while. */
  async pause(): Promise<void> {
    await this.end('SIGQUIT');
  }

  /** Starts it again. */
  async resume(): Promise<void> {
    this.server = launch(this.directory, this.port);
    await this.untilReady();
  }

  /** It takes no notice of anything from now on, and its connections stay open. */
  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.end('SIGINT');
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Its address, without a database. */
  get url(): string {
    return `postgres://roost@127.0.0.1:${this.port}`;
  }

  /** Every connection has a process of its own. */
  private signal(signal: NodeJS.Signals): void {
    const pid = this.server.pid!;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    kill(pid, signal);
    for (const child of children.map(Number)) {
      try {
        kill(child, signal);
      } catch (error) {
        // It has ended since they were listed.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  /** The address of a database by its name. */
  urlOf(database: string): string {
    return `${this.url}/${database}`;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    const ended = once(this.server, 'exit');
    this.server.kill(signal);
    await ended;
  }

  /** Runs a statement as its superuser, in a database of its own. */
  async administer(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.urlOf('postgres') });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  private async untilReady(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.administer('SELECT 1');
      } catch (error) {
        if (attempt > 600 || this.server.exitCode !== null) throw error;
        await sleep(50);
      }
    }
  }
}

function launch(directory: string, port: number): ChildProcess {
  const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=200'];
  if (existsSync(join(directory, 'data', 'server.key'))) settings.push('ssl=on');
  const options = ['-D', join(directory, 'data'), '-h', '127.0.0.1', '-p', String(port), '-k', directory];
  return spawn(join(requirePrograms(), 'postgres'), [...options, ...settings.flatMap((each) => ['-c', each])], {
    stdio: 'ignore',
    cwd: directory,
    ...unprivileged(),
  });
}

function requirePrograms(): string {
  const { programs } = PostgresCluster;
  if (programs === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return programs;
}

/** With the names under which the server looks for it. */
function makeCertificate(data: string, owner: { readonly uid: number; readonly gid: number } | undefined): void {
  const [key, certificate] = ['server.key', 'server.crt'].map((name) => join(data, name)) as [string, string];
  const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  execFileSync('openssl', [...kind, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  chmodSync(key, 0o600);
  if (owner) for (const file of [key, certificate]) chownSync(file, owner.uid, owner.gid);
}

/** Servers like this one refuse to run as root. */
export function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (kind: string): number => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
