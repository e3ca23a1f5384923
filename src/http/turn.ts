/** Milliseconds that long work may hold the event loop without a break. */
const LENGTH = 8;

const waiting: (() => void)[] = [];

/**
 * The time that a piece of long work has on the event loop until it lets others in. Everything that is long waits in
 * one queue, of which one piece goes on in each round of the loop: however many are at work, requests and sockets wait
 * for one of them only.
 */
export class Turn {
  private until = performance.now() + LENGTH;

  get isOver(): boolean {
    return performance.now() >= this.until;
  }

  /** Lets others in; resolves when it is this work's turn again. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(goOn);
    });
    this.until = performance.now() + LENGTH;
  }

  /** As `next` once the time is over; otherwise nothing is waited for. */
  pause(): Promise<void> | undefined {
    return this.isOver ? this.next() : undefined;
  }
}

function goOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
}
