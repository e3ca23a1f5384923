import { timerLength } from '../kernel/timer-length.js';

/** Work did not get its turn in time. */
export class NoTurnError extends Error {}

/** Lets a bounded number of works run at once; others wait for their turn, but not for ever. */
export class WorkerSlots {
  private readonly waiting: (() => void)[] = [];
  private free: number;

  /** `maxWait` in milliseconds. */
  constructor(
    slots: number,
    private readonly maxWait: number,
  ) {
    this.free = Math.max(1, slots);
  }

  /** Runs work when its turn comes. Rejects with a NoTurnError, without running it, when that takes too long. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.turn();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }

  private turn(): Promise<void> {
    if (this.free > 0) {
      this.free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(go), 1);
        reject(new NoTurnError('It took too long until it was its turn.'));
      }, timerLength(this.maxWait));
      this.waiting.push(go);
    });
  }
}
