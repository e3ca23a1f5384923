import { TimeSlices } from '../database/time-slices.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { TimeoutError } from '../kernel/errors/timeout.error.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import { timerLength } from '../kernel/timer-length.js';

/** The time a batch has: over after so many milliseconds, or when the client goes away. */
export class BatchDeadline {
  private readonly controller = new AbortController();
  private readonly onGone = () => this.controller.abort(new BadRequestError('The client has gone away.'));
  private timer: NodeJS.Timeout | undefined;
  private end = Infinity;
  private slices = new TimeSlices();

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

  /** From now on the time counts: the writer's turn has come (BAT-12). A transaction that is repeated gets no more. */
  start(): void {
    this.slices = new TimeSlices();
    if (this.timer) return;
    this.end = performance.now() + this.milliseconds;
    this.timer = setTimeout(() => this.expire(), timerLength(this.milliseconds));
  }

  /** Lets others have their turn when it is time, then throws when the batch has no time left. */
  check(): MaybePromise<void> {
    return andThen(this.slices.pause(), this.requireTime);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.disconnected.removeEventListener('abort', this.onGone);
  }

  private readonly requireTime = (): void => {
    // A batch that keeps the event loop busy would never see its timer fire.
    if (performance.now() >= this.end) this.expire();
    this.signal.throwIfAborted();
  };

  private expire(): void {
    this.controller.abort(new TimeoutError('The batch took too long.'));
  }
}
