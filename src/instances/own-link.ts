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

/** The link to the parent that started this process, or a LoneInstance. */
export function ownLink(env: Environment): InstanceLink {
  return isWorker(env) ? linkToParent(env) : new LoneInstance();
}

function linkToParent(env: Environment): WorkerLink {
  const link = new WorkerLink(env[WORKER_VARIABLE]!, env[JOINS_VARIABLE] === '1', (message) => {
    if (process.connected) process.send!(message, undefined, undefined, () => undefined);
  });
  process.on('message', (message: ToWorker) => link.receive(message));
  // The parent has ended and its lock on the data with it, so this process must not go on.
  process.on('disconnect', () => process.exit(1));
  return link;
}
