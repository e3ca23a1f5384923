import { createHook } from '../hooks/create-hook.js';
import type { Caller } from '../kernel/records/caller.js';
import type { BatchRequest } from './batch.dto.js';

/** A batch is about to run. The requests may be changed; a throw refuses the whole batch. */
export interface BatchEvent {
  readonly caller: Caller;
  requests: readonly BatchRequest[];
}

/** Before the first item of a batch is carried out. A throw refuses the whole batch. */
export const BeforeBatch = createHook<BatchEvent>('BeforeBatch');
