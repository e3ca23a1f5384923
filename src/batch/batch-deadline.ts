import { setImmediate as nextTurn } from 'node:timers/promises';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { TimeoutError } from '../kernel/errors/timeout.error.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import { timerLength } from '../kernel/timer-length.js';

/** How long a batch may keep the event loop before others get their turn. */
const TURN = 10;

/** The time a batch has: over after so many milliseconds, or when the client goes away. */
export class BatchDeadline {
  private readonly controller = new AbortController();
  private readonly onGone = () => this.controller.abort(new BadRequestError('The client has gone away.'));
  private timer: NodeJS.Timeout | undefined;
  private end = Infinity;
  private turnBegan = 0;

  constructor(
    private readonly milliseconds: number,
    private readonly disconnected: AbortSignal,
  ) {
    if (disconnected.aborted) this.onGone();
    else disconnected.addEventListener('abort', this.onGone);
  }

  /** Fires when the time is over, with the error to answer. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** From now on the time counts: the writer's turn has come (BAT-12). */
  start(): void {
    this.turnBegan = performance.now();
    this.end = this.turnBegan + this.milliseconds;
    this.timer = setTimeout(() => this.expire(), timerLength(this.milliseconds));
  }

  /** Lets others have their turn when it is time, then throws when the batch has no time left. */
  check(): MaybePromise<void> {
    const now = performance.now();
    if (now - this.turnBegan >= TURN) return this.checkNextTurn();
    this.checkAt(now);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.disconnected.removeEventListener('abort', this.onGone);
  }

  private async checkNextTurn(): Promise<void> {
    await nextTurn();
    this.turnBegan = performance.now();
    this.checkAt(this.turnBegan);
  }

  private checkAt(now: number): void {
    // A batch that keeps the event loop busy would never see its timer fire.
    if (now >= this.end) this.expire();
    this.signal.throwIfAborted();
  }

  private expire(): void {
    this.controller.abort(new TimeoutError('The batch took too long.'));
  }
}
