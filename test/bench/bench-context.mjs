import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchServer } from './bench-server.mjs';
import { ForeignServer } from './foreign-server.mjs';
import { Load } from './load.mjs';
import { Measurement } from './measurement.mjs';
import { middle } from './middle.mjs';
import { ProcessFigures } from './process-figures.mjs';
import { Report } from './report.mjs';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const hasTaskset = cpus().length > 1 && spawnSync('taskset', ['--version']).status === 0;

/** What a suite works with: servers, comparisons, and a table of results. */
export class BenchContext {
  report = new Report();
  #cleanups = [];
  #isClosed = false;
  #load;
  #pins;

  /** `target` is the address of a server that runs already, if one is to be measured; `options` are the other flags. */
  constructor({ target, options }) {
    this.options = options;
    this.#load = { seconds: options.seconds, connections: options.connections };
    // A server that runs already has the core it has: beside one, nothing is pinned.
    this.#pins = hasTaskset && target === undefined;
    // The load runs on the last core, servers on the first.
    if (this.#pins) spawnSync('taskset', ['-pc', String(cpus().length - 1), String(process.pid)]);
    if (target === undefined) return;
    /** The load for the target. */
    this.target = new Load(target, { ...this.#load, server: options.pid && new ProcessFigures(options.pid) });
    this.defer(() => this.target.close());
  }

  /** Gives this process, and what it starts from here on, all cores: for a load that is a program of several. */
  useAllCores() {
    if (this.#pins) spawnSync('taskset', ['-apc', `0-${cpus().length - 1}`, String(process.pid)]);
    this.#pins = false;
  }

  /** What goes before the command of what is to have the core of the servers. */
  get serverPin() {
    return this.#pins ? ['taskset', '-c', '0'] : [];
  }

  tempDir() {
    const dir = mkdtempSync(join(tmpdir(), 'roost-bench-'));
    this.defer(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
  }

  /**
   * Starts the built Roost, or a program around it, on an empty data directory unless one is given. With `quiet` nobody sees
   * what it complains about; `files` is how many it may have open.
   */
  roost({ dir = this.tempDir(), env = {}, files, flags = [], main = MAIN, pinned = true, quiet } = {}) {
    const address = flags.some((flag) => flag.startsWith('--http=')) ? [] : ['--http=127.0.0.1:0'];
    const args = [main, 'serve', ...address, `--dir=${dir}`, ...flags];
    return this.#start(args, { address: /started at (http\S+)/, env, dir, files, pinned, quiet });
  }

  /** Starts the command of another server on an empty directory; fulfilled when the target answers. */
  foreign(command) {
    const server = new ForeignServer(command, this.tempDir());
    this.defer(() => server.stop());
    return server.answers(`${this.target.origin}/api/health`);
  }

  /** Starts a script that prints `listening at <origin>`. */
  script(path, args = []) {
    const script = fileURLToPath(new URL(path, import.meta.url));
    return this.#start([script, ...args], { address: /listening at (http\S+)/ });
  }

  /**
   * Measures something and what it is compared to in turns, so that noise hits both alike, and reports the medians; they
   * are returned. The ratio is that of the rates, unless `ratio` makes another of the two, as `figures` makes figures. It
   * is taken of each turn and the one beside it, because a machine changes its speed between those far apart, and the
   * median is reported. `trials` of the turns do not count: code that is new to the server is compiled in them.
   */
  async compare(what, { own, baseline, ratio = (a, b) => a.rate / b.rate, figures, rounds = 3, trials = 0, ...row }) {
    const measured = { own: [], baseline: [] };
    for (let trial = 0; trial < trials; trial++) {
      await own();
      await baseline();
    }
    for (let round = 0; round < rounds; round++) {
      const turns = [async () => measured.own.push(await own()), async () => measured.baseline.push(await baseline())];
      // Who is second finds the machine as the first one has left it.
      for (const turn of round % 2 ? turns.reverse() : turns) await turn();
    }
    const [a, b] = [Measurement.median(measured.own), Measurement.median(measured.baseline)];
    const { median, ...besides } = middle(measured.own.map((each, round) => ratio(each, measured.baseline[round])));
    this.report.add(what, a, { ...row, baseline: b, ratio: median, figures: { ...besides, ...figures?.(a, b) } });
    return { own: a, baseline: b };
  }

  /** Has something done when the suite is over, failed or interrupted; what was deferred last is done first. */
  defer(cleanup) {
    // What came to be while everything else was taken away goes the same way.
    if (this.#isClosed) void cleanup();
    else this.#cleanups.push(cleanup);
  }

  /** Ends all servers and takes everything away; nothing can be started any more. */
  async close() {
    this.#isClosed = true;
    const failures = [];
    for (const cleanup of this.#cleanups.splice(0).toReversed()) {
      try {
        await cleanup();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  #start(args, { files, pinned = true, ...options }) {
    if (this.#isClosed) throw new Error('The suite is over.');
    // Without a word it would be on the core of the load, as a child of this process.
    const cores = pinned ? '0' : `0-${cpus().length - 1}`;
    const pin = this.#pins ? ['taskset', '-c', cores] : [];
    const limit = files ? ['prlimit', `--nofile=${files}`] : [];
    const server = new BenchServer([...limit, ...pin, process.execPath, ...args], { ...options, load: this.#load });
    this.defer(() => server.stop());
    return server.ready;
  }
}
