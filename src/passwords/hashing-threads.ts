import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ServiceUnavailableError } from '../kernel/errors/service-unavailable.error.js';

/** What a thread computes: a new hash at a cost, or whether a password is that of a hash. */
export type HashingRequest =
  | { readonly kind: 'hash'; readonly plain: string; readonly salt: number }
  | { readonly kind: 'compare'; readonly plain: string; readonly salt: string };

type Reply = { readonly result: string | boolean } | { readonly error: string };

/** Seconds. */
const RETRY_AFTER = 5;

const PROGRAM = fileURLToPath(new URL('./hashing-thread.mjs', import.meta.url));

/**
 * Threads for hashing. Not those of libuv, which are four, read files and resolve names; and these run with a lower
 * priority than the main thread. Each is started when needed; the caller limits how much runs at once.
 */
export class HashingThreads {
  private readonly idle: Worker[] = [];
  private readonly all = new Set<Worker>();
  private isStopped = false;

  /** Throws 503 when they are stopped, be it in the middle of it. */
  async run({ ...request }: HashingRequest): Promise<string | boolean> {
    if (this.isStopped) throw stopping();
    const thread = this.idle.pop() ?? this.start();
    // An idle thread does not keep the process alive, but one that hashes must.
    thread.ref();
    try {
      return await ask(thread, request);
    } catch (error) {
      throw this.isStopped ? stopping() : error;
    } finally {
      thread.unref();
      if (this.all.has(thread)) this.idle.push(thread);
    }
  }

  /** Ends them all, for good. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await Promise.all([...this.all].map((thread) => thread.terminate()));
  }

  private start(): Worker {
    const thread = new Worker(PROGRAM, { env: {}, execArgv: [] });
    this.all.add(thread);
    thread.on('error', () => this.all.delete(thread));
    thread.on('exit', () => {
      this.all.delete(thread);
      const index = this.idle.indexOf(thread);
      if (index >= 0) this.idle.splice(index, 1);
    });
    return thread;
  }
}

function stopping(): ServiceUnavailableError {
  return new ServiceUnavailableError('The server is stopping.', RETRY_AFTER);
}

function ask(thread: Worker, request: HashingRequest): Promise<string | boolean> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void): void => {
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      outcome();
    };
    const onMessage = (reply: Reply): void =>
      settle(() => ('error' in reply ? reject(new Error(reply.error)) : resolve(reply.result)));
    const onError = (error: Error): void => settle(() => reject(error));
    const onExit = (): void => settle(() => reject(new Error('The thread that hashed a password has ended.')));
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.postMessage(request);
  });
}
