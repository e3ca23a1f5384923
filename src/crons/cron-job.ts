import { ApiProperty, ApiSchema } from '../http/dto/api-decorators.js';

/** A scheduled job: when it runs, and what it does. */
export interface ScheduledJob {
  /** The name of the decorator, or `Class.method`. */
  readonly id: string;
  /** The schedule as it is listed; '' while the job is not scheduled at all, and then it is not listed. */
  expression(): string;
  /** Begins to call `run` when it is due. */
  mount(run: () => void): void;
  /** When it is due next after a moment, in an application that began at another; for tests that control the clock. */
  next(after: number, began: number): number | undefined;
  /** What the job does. */
  work(): unknown;
}

/** A job as `GET /api/crons` shows it (OPS-142). */
@ApiSchema({ name: 'Cron' })
export class ListedCron {
  @ApiProperty()
  readonly id: string;

  @ApiProperty()
  readonly expression: string;
}
