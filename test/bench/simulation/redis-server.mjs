import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../postgres-server.mjs';

/** A Redis of one suite, on a free port and without files. */
export class RedisServer {
  #child;

  /** `pin` goes before its command, so that it has a core to run on. */
  static async start(pin = []) {
    const server = new RedisServer();
    server.port = await freePort();
    const own = ['redis-server', '--port', String(server.port), '--bind', '127.0.0.1', '--save', ''];
    const [command, ...args] = [...pin, ...own];
    server.#child = spawn(command, args, { stdio: 'ignore' });
    const failed = once(server.#child, 'error').then(() => {
      throw new Error('Redis is not installed: apt-get install redis-server');
    });
    while (!(await Promise.race([server.#isReady(), failed]))) await sleep(20);
    return server;
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid() {
    return this.#child.pid;
  }

  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }

  #isReady() {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  }
}
