import { createHook } from '../hooks/create-hook.js';
import type { Caller } from '../kernel/records/caller.js';

/** A scheduled job is about to run. */
export interface CronRunEvent {
  readonly id: string;
  /** Who wants it to run now; null when it is due. */
  readonly caller: Caller | null;
}

/** Before a job runs, because it is due or somebody wants it to. A throw keeps it from running this time. */
export const BeforeCronRun = createHook<CronRunEvent>('BeforeCronRun');
