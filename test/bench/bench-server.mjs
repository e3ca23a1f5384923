import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from './load.mjs';
import { ProcessFigures } from './process-figures.mjs';

/** A server that does not end by then, in ms, does not at all. */
const ENDS_WITHIN = 15_000;

const SUPERUSER = { email: 'root@example.com', password: 'bench-password' };

/** A server under test: a program of its own, and the load for it. */
export class BenchServer extends ProcessFigures {
  /** Fulfilled when it has ended. */
  ended;
  hasEnded = false;
  /** The data directory. */
  dir;
  #child;
  #output = '';

  /** Starts it; what it prints tells its address, by the first group of `address`. */
  constructor([command, ...args], { address, env, dir, load, quiet = false }) {
    const started = performance.now();
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit'],
      env: { ...process.env, ...env },
    });
    super(child.pid);
    this.#child = child;
    this.dir = dir;
    this.ended = new Promise((resolve) => this.#child.once('exit', resolve)).then(() => (this.hasEnded = true));
    /** Fulfilled when it listens. */
    this.ready = this.#origin(address).then((origin) => {
      this.startedIn = performance.now() - started;
      this.origin = origin;
      this.load = new Load(origin, { ...load, server: this });
      return this;
    });
  }

  /** Makes the first superuser of an empty Roost; the token. */
  async setUp() {
    const { email, password } = SUPERUSER;
    const body = { email, password, passwordConfirm: password, token: await this.setupToken() };
    const { token } = await this.load.call('POST', '/api/setup', { body });
    return token;
  }

  /** The token of the link that an empty Roost prints soon after its address. */
  async setupToken() {
    for (;;) {
      const token = /pbinstall\/(\S+)\s/.exec(this.#output)?.[1];
      if (token) return token;
      await once(this.#child.stdout, 'data');
    }
  }

  /** Ends it as a crash would. */
  async kill() {
    this.#child.kill('SIGKILL');
    await Promise.all([this.load?.close(), this.ended]);
  }

  async stop() {
    const closed = this.load?.close();
    this.#child.kill('SIGTERM');
    const patience = sleep(ENDS_WITHIN, undefined, { ref: false }).then(() => this.#child.kill('SIGKILL'));
    await Promise.race([this.ended, patience]);
    await Promise.all([closed, this.ended]);
  }

  #origin(address) {
    return new Promise((resolve, reject) => {
      this.#child.stdout.on('data', (chunk) => {
        this.#output += chunk;
        const match = address.exec(this.#output);
        if (match) resolve(match[1]);
      });
      this.#child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    });
  }
}
