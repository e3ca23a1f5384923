import { ServiceUnavailableError } from '../kernel/errors/service-unavailable.error.js';

/**
 * Lets a few pieces of work run at a time, the others waiting in order of arrival.
 *
 * Hashing runs on libuv's four threads, which files and DNS need too, and on cores the server needs to answer. Fifty
 * sign-ins at once therefore become a line, and a line that has grown past `maxWaiting` refuses newcomers with 503.
 */
export class HashingQueue {
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly maxRunning: number,
    private readonly maxWaiting: number,
  ) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.takeTurn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running--;
    }
  }

  private takeTurn(): Promise<void> {
    if (this.running < this.maxRunning) {
      this.running++;
      return Promise.resolve();
    }
    if (this.waiting.length >= this.maxWaiting) {
      throw new ServiceUnavailableError('Too many sign-ins are waiting, try again later.', 5);
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
