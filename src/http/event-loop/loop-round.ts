import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * What many pieces of work, each of them short, take in one round of the event loop: many requests may arrive in the same
 * moment, and all of them would be carried out before anything else has its turn (OPS-39).
 */
export class LoopRound {
  /** `performance.now()` when the work of this round has to be over; 0 while there was none. */
  end = 0;

  /** `length` in milliseconds. */
  constructor(private readonly length: number) {}

  /** To be asked before a piece of work; false where it has to wait for the next round. */
  mayBegin(): boolean {
    const now = performance.now();
    if (this.end > 0) return now < this.end;
    this.end = now + this.length;
    setImmediate(() => (this.end = 0));
    return true;
  }

  /** Lets others in; resolves when the work may begin. */
  async next(): Promise<void> {
    do await nextTurn();
    while (!this.mayBegin());
  }
}
