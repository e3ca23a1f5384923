/** Ends a turn; calling it again does nothing. */
export type EndTurn = () => void;

/** Turns that are granted one after another. Each must be ended, or all others wait for ever. */
export interface Turns {
  /** Resolves when it is the caller's turn. An aborted signal gives up the place and rejects with its reason. */
  acquire(signal?: AbortSignal): Promise<EndTurn>;
  /** A turn, if one is free at this moment. Throws the signal's reason when that is aborted already. */
  tryAcquire(signal?: AbortSignal): EndTurn | undefined;
}

/** Turns that several processes take. */
export interface SharedTurns extends Turns {
  /** Takes the turn within this process only; other processes may have theirs at the same time. */
  tryAcquireLocal(): EndTurn | undefined;
}

/** Turns in order of arrival: one at a time, or as many at once as there are places. */
export class TurnQueue implements Turns {
  private readonly waiting: (() => void)[] = [];

  constructor(private places = 1) {}

  /** Whether somebody waits for a turn. */
  get isWaitedFor(): boolean {
    return this.waiting.length > 0;
  }

  acquire(signal?: AbortSignal): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const free = this.tryAcquire(signal);
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

  tryAcquire(signal?: AbortSignal): EndTurn | undefined {
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
      // The next one begins before this call returns, so that nobody who arrives later can overtake.
      this.waiting.shift()?.();
    };
  }
}
