import cluster from 'node:cluster';
import type { InstanceLink } from './instance-link.js';
import { LoneInstance } from './lone-instance.js';
import { JOINS_VARIABLE, WORKER_VARIABLE } from './supervisor.js';
import { WorkerLink } from './worker-link.js';
import type { ToWorker } from './worker-messages.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a parent has started this process as one of its workers. */
export function isWorker(env: Environment): boolean {
  return cluster.isWorker && env[WORKER_VARIABLE] !== undefined;
}

/** How this process reaches the others: through the parent that started it, or there are none. */
export function ownLink(env: Environment): InstanceLink {
  return isWorker(env) ? linkToParent(env) : new LoneInstance();
}

function linkToParent(env: Environment): WorkerLink {
  const link = new WorkerLink(env[WORKER_VARIABLE]!, env[JOINS_VARIABLE] === '1', (message) => {
    if (process.connected) process.send!(message, undefined, undefined, () => undefined);
  });
  process.on('message', (message: ToWorker) => link.receive(message));
  // The parent is gone, and with it the lock on the data: whoever comes next is not to find this process at work.
  process.on('disconnect', () => process.exit(1));
  return link;
}
