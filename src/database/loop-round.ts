import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work in one round of the event loop. */
const LENGTH = 5;

/**
 * What many pieces of work, each of them short, take in one round of the event loop: many requests may arrive in the same
 * moment, and all of them would be carried out before anything else has its turn (OPS-39).
 */
export class LoopRound {
  /** When the work of this round has to be over; 0 while there was none. */
  private end = 0;

  /** To be asked before a piece of work: whether it is to wait for the next round. */
  get isOver(): boolean {
    const now = performance.now();
    if (this.end > 0) return now >= this.end;
    this.end = now + LENGTH;
    setImmediate(() => (this.end = 0));
    return false;
  }

  /** Lets others in. */
  async next(): Promise<void> {
    do await nextTurn();
    while (this.isOver);
  }
}
