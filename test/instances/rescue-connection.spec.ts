import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { rescueConnection } from '../../src/instances/rescue-connection.js';

const workers: Worker[] = [];

afterEach(() => {
  for (const worker of workers) worker.process.kill('SIGKILL');
});

/** The worker that answers a request on a connection of its own. */
async function answer(port: number): Promise<number> {
  const [response] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [IncomingMessage];
  return Number((await response.toArray()).join(''));
}

it('SCALE-31 a connection on its way to a worker that is killed is answered by another one', async () => {
  cluster.setupPrimary({ exec: join(import.meta.dirname, 'programs/answering-worker.mjs') });
  let port = 0;
  for (let count = 0; count < 2; count++) {
    const worker = cluster.fork();
    workers.push(worker);
    rescueConnection(worker);
    [{ port }] = (await once(worker, 'listening')) as [{ port: number }];
  }
  const [victim, survivor] = workers;
  victim!.send('block');
  const answers = Promise.all(Array.from({ length: 6 }, () => answer(port)));
  // One of them is with the worker that does not answer; it is not the first to be given one.
  await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, 300))]);
  victim!.process.kill('SIGKILL');
  expect(new Set(await answers)).toEqual(new Set([survivor!.process.pid]));
});
