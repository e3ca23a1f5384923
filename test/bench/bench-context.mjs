import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const hasTaskset = cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0;

/** A server under test, on a core of its own where the machine has several. */
export class BenchServer {
  constructor(child, origin, startedIn) {
    this.child = child;
    this.origin = origin;
    this.startedIn = startedIn;
  }

  /** Memory in MiB, with the processes it has started; what several share counts once (the proportional set size). */
  memory() {
    const kib = this.#processes().map((pid) => /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1]);
    return kib.reduce((sum, each) => sum + Number(each ?? 0), 0) / 1024;
  }

  /** Resident memory of its own process alone in MiB, with what it shares with others. */
  residentMemory() {
    return Number(/^VmRSS:\s+(\d+)/m.exec(read(`/proc/${this.child.pid}/status`))?.[1] ?? 0) / 1024;
  }

  /** Seconds of processor time used so far, with the processes it has started, those that have ended included. */
  cpuTime() {
    const ticks = this.#processes().map((pid) => {
      const [user, system, ended, endedSystem] = (read(`/proc/${pid}/stat`).split(') ')[1] ?? '').split(' ').slice(11);
      return [user, system, ended, endedSystem].reduce((sum, each) => sum + Number(each ?? 0), 0);
    });
    return ticks.reduce((sum, each) => sum + each, 0) / 100;
  }

  /** Its own process and those it has started: slow queries run in processes that can be killed. */
  #processes() {
    const { pid } = this.child;
    return [pid, ...read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean)];
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
}

/** What a suite works with: servers, load, and a table of results. */
export class BenchContext {
  rows = [];
  #servers = [];
  #dirs = [];
  #pins;

  /** `target` is the address of a server that runs already, if one is to be measured; `options` are the other flags. */
  constructor({ target, options = {} } = {}) {
    this.target = target;
    this.options = options;
    // A server that runs already has the core it has: beside one, nothing is pinned.
    this.#pins = hasTaskset && target === undefined;
    // The load runs on the last core, servers on the first.
    if (this.#pins) spawnSync('taskset', ['-pc', String(cpus().length - 1), String(process.pid)]);
  }

  tempDir() {
    const dir = mkdtempSync(join(tmpdir(), 'roost-bench-'));
    this.#dirs.push(dir);
    return dir;
  }

  /** Starts the built Roost on a data directory, or a program around it. */
  async roost(dir, { env = {}, flags = [], main = MAIN, pinned = true } = {}) {
    const args = [main, 'serve', '--http=127.0.0.1:0', `--dir=${dir}`, ...flags];
    return this.#start(args, /started at (http\S+)/, { env, pinned });
  }

  /** Starts a script that prints `listening at <origin>`. */
  async script(path, args = []) {
    return this.#start([fileURLToPath(new URL(path, import.meta.url)), ...args], /listening at (http\S+)/);
  }

  /** Runs a command of the built Roost to its end. */
  command(dir, ...args) {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args, `--dir=${dir}`], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }

  /** Sends requests for some seconds; requests per second, latencies in ms, errors. */
  async load(url, { seconds = 3, connections = 32, ...options } = {}) {
    const result = await autocannon({ url, duration: seconds, connections, ...options });
    const { p50, p97_5, p99 } = result.latency;
    return { rate: result.requests.average, p50, p95: p97_5, p99, errors: result.errors + result.non2xx };
  }

  /** The medians of several measurements of each candidate, taken in turns so that noise hits all alike. */
  async compare(candidates, rounds = 3) {
    const results = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [name, measure] of Object.entries(candidates)) results[name].push(await measure());
    }
    return Object.fromEntries(
      Object.entries(results).map(([name, list]) => {
        list.sort((a, b) => a.rate - b.rate);
        return [name, list[Math.floor(list.length / 2)]];
      }),
    );
  }

  /** Prints and keeps one line of results. */
  report(what, values) {
    this.rows.push({ what, ...values });
    const shown = Object.entries(values).map(([name, value]) => `${name} ${format(value)}`);
    console.log(`${what.padEnd(58)} ${shown.join('  ')}`);
  }

  async close() {
    for (const server of this.#servers) await server.stop();
    for (const dir of this.#dirs) rmSync(dir, { recursive: true, force: true });
  }

  async #start(args, pattern, { env = {}, pinned = true } = {}) {
    const started = performance.now();
    // Without a word it would be on the core of the load, as a child of this process.
    const cores = pinned ? '0' : `0-${cpus().length - 1}`;
    const command = this.#pins ? ['taskset', '-c', cores, process.execPath, ...args] : [process.execPath, ...args];
    const child = spawn(command[0], command.slice(1), {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    let output = '';
    const origin = await new Promise((resolve, reject) => {
      child.stdout.on('data', (chunk) => {
        output += chunk;
        const match = pattern.exec(output);
        if (match) resolve(match[1]);
      });
      child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    });
    const server = new BenchServer(child, origin, performance.now() - started);
    this.#servers.push(server);
    return server;
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

function format(value) {
  if (typeof value !== 'number') return String(value);
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
