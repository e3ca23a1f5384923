import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';

const PROGRAM = '/usr/sbin/nginx';

/** The header in which an answer tells which server gave it. */
export const SERVED_BY = 'x-served-by';

/**
 * A load balancer before servers on the loopback interface, with the settings of `docs/production.md`: each request
 * goes to the next one. Debian's package `nginx`.
 */
export class RoundRobin {
  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    readonly port: number,
  ) {}

  static get isInstalled(): boolean {
    return existsSync(PROGRAM);
  }

  /** `pin` goes before its command, so that it has a core to run on. */
  static async start(servers: readonly number[], pin: readonly string[] = []): Promise<RoundRobin> {
    if (!RoundRobin.isInstalled) throw new Error('nginx is not installed: apt-get install nginx');
    const directory = mkdtempSync(join(tmpdir(), 'roost-nginx-'));
    const port = await freePort();
    const settings = join(directory, 'nginx.conf');
    writeFileSync(settings, settingsFor(directory, port, servers));
    const [command, ...args] = [...pin, PROGRAM, '-e', join(directory, 'error.log'), '-p', directory, '-c', settings];
    const child = spawn(command!, args, { stdio: 'ignore', cwd: directory });
    const proxy = new RoundRobin(child, directory, port);
    await proxy.untilReady();
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it had to complain about. */
  get complaints(): string {
    return readFileSync(join(this.directory, 'error.log'), 'utf8');
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    if (this.child.exitCode === null) this.child.kill('SIGTERM');
    else return;
    await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async untilReady(): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const socket = connect(this.port, '127.0.0.1');
      try {
        await once(socket, 'connect');
        return;
      } catch (error) {
        if (attempt > 600 || this.child.exitCode !== null) throw error;
        await sleep(50);
      } finally {
        socket.destroy();
      }
    }
  }
}

/**
 * One process, in the foreground, that keeps all its files in a directory of its own. It asks a server again however
 * often that has failed: with two of which one is away, a single broken connection would have it give up the other,
 * too.
 */
function settingsFor(directory: string, port: number, servers: readonly number[]): string {
  const scratch = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(directory, name)};`,
  );
  const pass = `proxy_pass http://instances;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_read_timeout 3600s;`;
  return `daemon off;
master_process off;
pid ${join(directory, 'pid')};
events { worker_connections 8192; }
http {
  access_log off;
  ${scratch.join('\n  ')}
  upstream instances {
    ${servers.map((server) => `server 127.0.0.1:${server} max_fails=0;`).join('\n    ')}
    keepalive 64;
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    add_header ${SERVED_BY} $upstream_addr always;
    location / {
      ${pass}
      proxy_request_buffering off;
    }
    location /api/realtime {
      ${pass}
      proxy_buffering off;
    }
  }
}
`;
}
