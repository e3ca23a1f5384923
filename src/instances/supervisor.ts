import cluster, { type Worker } from 'node:cluster';
import { timerLength } from '../kernel/timer-length.js';
import type { RequestAnswers } from './instance-link.js';
import { MessageHub, type HubMember } from './message-hub.js';
import { rescueConnection } from './rescue-connection.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

/** The variable with the number of a worker. */
export const WORKER_VARIABLE = 'ROOST_WORKER';
/** The variable that tells a worker that others serve already. */
export const JOINS_VARIABLE = 'ROOST_WORKER_JOINS';

/**
 * Makes the C library of Linux give back some 12 MiB that only the start of a worker needed: it keeps a multiple of the
 * largest piece that was ever freed, and a start frees files of two megabytes. Other systems ignore the variable.
 */
const GIVES_MEMORY_BACK = { MALLOC_TRIM_THRESHOLD_: '131072' };

/** Milliseconds before a worker that failed to start is replaced; doubled each time in a row. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;

/** One process of those that serve. */
interface Member extends HubMember {
  readonly process: Worker;
  isReady: boolean;
}

/** What a supervisor is told. */
export interface SupervisorOptions {
  readonly workers: number;
  /** The file that this process was started with, and its arguments: they are those of the workers, too. */
  readonly program: string | undefined;
  readonly args: readonly string[];
  /** Milliseconds the workers have to end; what is left of them then is killed. */
  readonly shutdownTimeout: number;
  /** What workers may ask of this process. */
  readonly requests: RequestAnswers;
  /** A line for whoever looks after the server. */
  readonly warn: (line: string) => void;
  /** Called once, when all of them serve. */
  readonly onReady: () => void;
}

/**
 * Keeps so many workers serving (SCALE-30): starts the program again as each of them, replaces those that end, and
 * carries what they say to each other. The first one to start does what is done once, before any other begins.
 */
export class Supervisor {
  private readonly hub = new MessageHub();
  private readonly members = new Set<Member>();
  private readonly ended: Promise<number>;
  private end: (code: number) => void = () => undefined;
  private hasServed = false;
  private isComplete = false;
  private isStopping = false;
  /** The only worker that runs while the others are stopped for it. */
  private lone: { readonly member: Member; readonly id: number } | undefined;
  private failedStarts = 0;
  private exitCode = 0;
  private timer: NodeJS.Timeout | undefined;
  private lastName = 0;

  constructor(private readonly options: SupervisorOptions) {
    this.ended = new Promise((resolve) => (this.end = resolve));
    for (const [name, answer] of Object.entries(options.requests)) this.hub.onRequest(name, answer);
  }

  /** Resolves with the exit code once every worker has ended. */
  run(): Promise<number> {
    const { program, args } = this.options;
    cluster.setupPrimary({ exec: program, args: [...args] });
    this.fill();
    return this.ended;
  }

  /** Asks all workers to end; those that do not in time are killed. */
  stop(): void {
    if (this.isStopping) return this.kill();
    this.isStopping = true;
    clearTimeout(this.timer);
    if (this.members.size === 0) return this.end(this.exitCode);
    for (const member of this.members) member.send({ kind: 'stop' });
    setTimeout(() => this.kill(), timerLength(this.options.shutdownTimeout)).unref();
  }

  /** Has the workers read their certificates again. */
  reloadCertificates(): void {
    for (const { process: worker } of this.members) worker.process.kill('SIGHUP');
  }

  private get readyCount(): number {
    return [...this.members].filter(({ isReady }) => isReady).length;
  }

  private kill(): void {
    for (const { process: worker } of this.members) worker.process.kill('SIGKILL');
  }

  /** Starts what is missing; the first one alone, until it serves. */
  private fill(): void {
    if (this.isStopping || this.timer || (this.lone && this.members.size > 0)) return;
    const most = this.readyCount > 0 ? this.options.workers : 1;
    while (this.members.size < most) this.start();
  }

  private start(): void {
    const name = String(++this.lastName);
    const joins = this.members.size > 0;
    const worker = cluster.fork({
      ...GIVES_MEMORY_BACK,
      [WORKER_VARIABLE]: name,
      [JOINS_VARIABLE]: joins ? '1' : '',
    });
    const member: Member = {
      name,
      process: worker,
      isReady: false,
      send: (message: ToWorker) => {
        if (worker.isConnected()) worker.send(message, () => undefined);
      },
    };
    this.members.add(member);
    rescueConnection(worker);
    worker.on('message', (message: FromWorker) => this.receive(member, message));
    worker.on('error', () => undefined);
    worker.on('exit', (code: number | null, signal: string | null) => this.exited(member, code, signal));
  }

  private receive(member: Member, message: FromWorker): void {
    this.hub.receive(member, message);
    if (message.kind === 'ready') {
      member.isReady = true;
      this.hasServed = true;
      this.failedStarts = 0;
      this.fill();
      this.tellComplete();
    } else if (message.kind === 'damaged') {
      this.exitCode = 1;
      this.stop();
    } else if (message.kind === 'runAlone') {
      this.lone = { member, id: message.id };
      for (const other of this.members) if (other !== member) other.send({ kind: 'stop' });
      this.tellAlone();
    } else if (message.kind === 'beTogether') {
      this.lone = undefined;
      this.fill();
    }
  }

  private tellComplete(): void {
    if (this.isComplete || this.readyCount < this.options.workers) return;
    this.isComplete = true;
    this.options.onReady();
  }

  private tellAlone(): void {
    const { lone } = this;
    if (lone && this.members.size === 1 && this.members.has(lone.member)) {
      lone.member.send({ kind: 'reply', id: lone.id });
    }
  }

  private exited(member: Member, code: number | null, signal: string | null): void {
    this.members.delete(member);
    this.hub.leave(member);
    if (this.lone?.member === member) this.lone = undefined;
    if (!this.isStopping && !this.hasServed) {
      this.isStopping = true;
      this.exitCode = code ?? 1;
    }
    if (this.isStopping) {
      if (this.members.size === 0) this.end(this.exitCode);
      return;
    }
    if (this.lone) return this.tellAlone();
    this.options.warn(`A worker has ended (${signal ?? `exit code ${code}`}) and is replaced.`);
    if (member.isReady) return this.fill();
    this.timer = setTimeout(
      () => {
        this.timer = undefined;
        this.fill();
      },
      Math.min(FIRST_PAUSE * 2 ** this.failedStarts++, LONGEST_PAUSE),
    );
  }
}
