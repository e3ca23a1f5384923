import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { CLOCK } from '../config/roost-config.js';
import { StartError } from '../config/start.error.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import type { Clock } from '../kernel/clock.js';
import { messageOf, thrownText } from '../kernel/errors/message-of.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import type { Caller } from '../kernel/records/caller.js';
import { CronExplorer } from './cron-explorer.js';
import type { ListedCron, ScheduledJob } from './cron-job.js';
import { BeforeCronRun } from './cron.hooks.js';
import { nextRun } from './cron-schedule.js';

/** The prefix of the ids of Roost's own jobs. */
const SYSTEM = '__pb';

/** The scheduled jobs (chapter 06 F): listed and run on demand, each at most once at a time. */
@Injectable()
export class CronsService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Crons');
  private jobs: ReadonlyMap<string, ScheduledJob> = new Map();
  private readonly running = new Map<string, Promise<void>>();
  private isMounted = false;
  private began = 0;

  constructor(
    private readonly explorer: CronExplorer,
    private readonly registry: SchedulerRegistry,
    private readonly hooks: HookRegistry,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.began = this.clock.now();
    this.jobs = new Map(this.explorer.explore().map((job) => [job.id, job]));
  }

  /** Throws a StartError that names a job whose schedule means nothing. */
  requireSchedules(): void {
    for (const job of this.jobs.values()) {
      try {
        job.next(this.clock.now(), this.began);
      } catch (error) {
        throw new StartError(`The schedule of the job ${job.id} cannot be used: ${messageOf(error)}.`, {
          cause: error,
        });
      }
    }
  }

  /** Begins to run the jobs when they are due; only a process that serves does so. */
  mount(): void {
    if (this.isMounted) return;
    this.isMounted = true;
    for (const job of this.jobs.values()) job.mount(() => this.startDue(job.id, () => job.work()));
  }

  /** What is scheduled: the jobs of the application by id, then those of Roost (OPS-142). */
  list(): ListedCron[] {
    const own = [...this.jobs.values()].map((job) => ({ id: job.id, expression: job.expression() }));
    const added = [...this.registry.getCronJobs()]
      .filter(([id]) => !this.jobs.has(id))
      .map(([id, job]) => ({ id, expression: String(job.cronTime.source) }));
    return [...own, ...added]
      .filter(({ expression }) => expression !== '')
      .sort((a, b) => Number(isSystem(a)) - Number(isSystem(b)) || (a.id < b.id ? -1 : 1));
  }

  /** Runs a job now, in the background. Throws a NotFoundError when none of this id is listed, and what hooks throw. */
  async run(id: string, caller: Caller | null = null): Promise<void> {
    if (!this.list().some((job) => job.id === id)) throw new NotFoundError();
    await this.hooks.run(BeforeCronRun, { id, caller });
    const job = this.jobs.get(id);
    if (job) this.start(id, () => job.work());
    else this.start(id, () => this.registry.getCronJob(id).fireOnTick());
  }

  /**
   * Runs everything that is due after one moment and until another, each job to its end before the next; `turn` sets
   * the time. For tests that control the clock; nothing else may run the jobs meanwhile.
   */
  async runDue(after: number, until: number, turn: (moment: number) => void): Promise<void> {
    for (let moment = this.nextMoment(after); moment !== undefined && moment <= until;) {
      turn(moment);
      const due = this.scheduled().filter(({ next }) => next(moment! - 1) === moment);
      for (const { id, work } of due) {
        this.startDue(id, work);
        await this.running.get(id);
      }
      moment = this.nextMoment(moment);
    }
  }

  /** Resolves when no job runs any more. */
  async idle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  /** Waits for running jobs while the databases are still open; the timers are stopped by then. */
  async onApplicationShutdown(): Promise<void> {
    await this.idle();
  }

  private nextMoment(after: number): number | undefined {
    const moments = this.scheduled().flatMap(({ next }) => next(after) ?? []);
    return moments.length > 0 ? Math.min(...moments) : undefined;
  }

  /** The application's own jobs, and those that were put into the registry of the library. */
  private scheduled(): { id: string; next: (after: number) => number | undefined; work: () => unknown }[] {
    const own = [...this.jobs.values()].map((job) => ({
      id: job.id,
      next: (after: number) => job.next(after, this.began),
      work: () => job.work(),
    }));
    const added = [...this.registry.getCronJobs()]
      .filter(([id]) => !this.jobs.has(id))
      .map(([id, job]) => ({
        id,
        next: (after: number) => nextRun(job.cronTime, after),
        work: () => job.fireOnTick(),
      }));
    return [...own, ...added];
  }

  private startDue(id: string, work: () => unknown): void {
    if (!this.link.leads) return;
    this.start(id, async () => {
      if (await this.mayRun(id)) await work();
    });
  }

  private async mayRun(id: string): Promise<boolean> {
    try {
      await this.hooks.run(BeforeCronRun, { id, caller: null });
      return true;
    } catch (error) {
      this.logger.warn(`The job ${id} was kept from running: ${messageOf(error)}`);
      return false;
    }
  }

  private start(id: string, work: () => unknown): void {
    if (this.running.has(id)) {
      this.logger.warn(`The job ${id} is still running and was skipped.`);
      return;
    }
    const run = this.perform(id, work).finally(() => this.running.delete(id));
    this.running.set(id, run);
  }

  private async perform(id: string, work: () => unknown): Promise<void> {
    // The caller marks the job as running first.
    await Promise.resolve();
    // Another process may be running the job.
    const release = await this.link.tryLock(`job ${id}`);
    if (!release) return this.logger.warn(`The job ${id} is still running and was skipped.`);
    try {
      await work();
    } catch (error) {
      this.logger.error(`The job ${id} failed: ${thrownText(error)}`, (error as Error | null)?.stack);
    } finally {
      release();
    }
  }
}

function isSystem({ id }: ListedCron): boolean {
  return id.startsWith(SYSTEM);
}
