/** Ends a turn; calling it again does nothing. */
export type EndTurn = () => void;

/**
 * Turns in order of arrival: one at a time, or as many at once as there are places. Whoever holds a turn must end it,
 * or the others wait for ever.
 */
export class TurnQueue {
  private readonly waiting: (() => void)[] = [];

  constructor(private places = 1) {}

  /** Resolves when it is the caller's turn. An aborted signal gives up the place and rejects with its reason. */
  turn(signal?: AbortSignal): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const free = this.turnNow(signal);
      if (free) {
        resolve(free);
        return;
      }
      const start = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve(this.begin());
      };
      const giveUp = (): void => {
        this.waiting.splice(this.waiting.indexOf(start), 1);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(start);
    });
  }

  /** A turn, if one is free at this moment. Throws the signal's reason when that is aborted already. */
  turnNow(signal?: AbortSignal): EndTurn | undefined {
    signal?.throwIfAborted();
    return this.places > 0 ? this.begin() : undefined;
  }

  private begin(): EndTurn {
    this.places -= 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.places += 1;
      // Whoever waits begins before this call returns, so that nobody who arrives later can overtake.
      this.waiting.shift()?.();
    };
  }
}
