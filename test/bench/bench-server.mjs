import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from './load.mjs';

/** A server that does not end by then, in ms, does not at all. */
const ENDS_WITHIN = 15_000;

const SUPERUSER = { email: 'root@example.com', password: 'bench-password' };

/** A server under test: a program of its own, and the load for it. */
export class BenchServer {
  /** Fulfilled when it has ended. */
  ended;
  hasEnded = false;
  #child;
  #output = '';

  /** Starts it; what it prints tells its address, by the first group of `address`. */
  constructor([command, ...args], { address, env, dir, load, quiet = false }) {
    const started = performance.now();
    /** The data directory. */
    this.dir = dir;
    this.#child = spawn(command, args, {
      stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit'],
      env: { ...process.env, ...env },
    });
    this.ended = new Promise((resolve) => this.#child.once('exit', resolve)).then(() => (this.hasEnded = true));
    /** Fulfilled when it listens. */
    this.ready = this.#origin(address).then((origin) => {
      this.startedIn = performance.now() - started;
      this.origin = origin;
      this.load = new Load(origin, { ...load, server: this });
      return this;
    });
  }

  get pid() {
    return this.#child.pid;
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

  /** Memory in MiB, with the processes it has started; what several share counts once (the proportional set size). */
  memory() {
    const kib = this.#processes().map((pid) => /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1]);
    return kib.reduce((sum, each) => sum + Number(each ?? 0), 0) / 1024;
  }

  /** Looks at the memory every few milliseconds; tells by how much it was larger than now, in MiB. */
  watchMemory() {
    const before = this.memory();
    let peak = before;
    const timer = setInterval(() => (peak = Math.max(peak, this.memory())), 20).unref();
    return () => {
      clearInterval(timer);
      return peak - before;
    };
  }

  /** Resident memory of its own process alone in MiB, with what it shares with others. */
  residentMemory() {
    return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${this.#child.pid}/status`))?.[1] ?? 0) / 1024;
  }

  /**
   * Tells by how much resident memory was larger than now, in MiB, at its peak: its own process to the byte, with those it
   * has started as looked at now and then, without the files that they share with it.
   */
  watchResidentMemory() {
    const resident = (pid, name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/status`))?.[1]);
    const { pid } = this.#child;
    // The program itself is in memory once, however many processes run it.
    const of = (each) => resident(each, each === pid ? 'VmRSS' : 'RssAnon') || 0;
    const all = () => this.#processes().reduce((sum, each) => sum + of(each), 0);
    const [before, own] = [all(), resident(pid, 'VmRSS')];
    // From here on the highest is counted anew.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    let [peak, highest] = [before, own];
    const look = () => {
      peak = Math.max(peak, all());
      highest = Math.max(highest, resident(pid, 'VmHWM') || 0);
    };
    const timer = setInterval(look, 20).unref();
    return () => {
      clearInterval(timer);
      look();
      return Math.max(peak - before, highest - own) / 1024;
    };
  }

  /** Seconds of processor time used so far, with the processes it has started, those that have ended included. */
  cpuTime() {
    const ticks = this.#processes().map((pid) => {
      const [user, system, ended, endedSystem] = (read(`/proc/${pid}/stat`).split(') ')[1] ?? '').split(' ').slice(11);
      return [user, system, ended, endedSystem].reduce((sum, each) => sum + Number(each ?? 0), 0);
    });
    return ticks.reduce((sum, each) => sum + each, 0) / 100;
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

  /** Its own process and those it has started: slow queries run in processes that can be killed. */
  #processes() {
    const { pid } = this.#child;
    return [pid, ...read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)];
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

/** The text of a file of /proc; '' when its process has just ended. */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
