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

/**
 * Turns in order of arrival: one at a time, or as many at once as there are places. Where it is told for which client a
 * turn is, clients take turns, and none has all places of several (OPS-39); what is for nobody counts as one client that
 * may have all.
 */
export class TurnQueue implements Turns {
  private readonly waiting = new Map<string, (() => void)[]>();
  /** Turns of each client. */
  private readonly running = new Map<string, number>();
  /** Turns that one client may have at once. */
  private readonly share: number;

  constructor(private places = 1) {
    this.share = Math.max(1, places - 1);
  }

  /** Whether somebody waits for a turn. */
  get isWaitedFor(): boolean {
    return this.waiting.size > 0;
  }

  acquire(signal?: AbortSignal, client = ''): Promise<EndTurn> {
    return new Promise((resolve, reject) => {
      const free = this.tryAcquire(signal, client);
      if (free) {
        resolve(free);
        return;
      }
      const start = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve(this.begin(client));
      };
      const giveUp = (): void => {
        this.leave(client, start);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      const line = this.waiting.get(client);
      if (line) line.push(start);
      else this.waiting.set(client, [start]);
    });
  }

  tryAcquire(signal?: AbortSignal, client = ''): EndTurn | undefined {
    signal?.throwIfAborted();
    return this.places > 0 && this.mayHaveAnother(client) ? this.begin(client) : undefined;
  }

  private begin(client: string): EndTurn {
    this.places -= 1;
    this.running.set(client, (this.running.get(client) ?? 0) + 1);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.places += 1;
      const left = this.running.get(client)! - 1;
      if (left > 0) this.running.set(client, left);
      else this.running.delete(client);
      // The next one begins before this call returns, so that nobody who arrives later can overtake.
      this.next()?.();
    };
  }

  private mayHaveAnother(client: string): boolean {
    return client === '' || (this.running.get(client) ?? 0) < this.share;
  }

  /** A Map keeps insertion order, so whoever had a turn is put at the end. */
  private next(): (() => void) | undefined {
    for (const [client, line] of this.waiting) {
      if (!this.mayHaveAnother(client)) continue;
      const start = line.shift()!;
      this.waiting.delete(client);
      if (line.length > 0) this.waiting.set(client, line);
      return start;
    }
    return undefined;
  }

  private leave(client: string, start: () => void): void {
    const line = this.waiting.get(client)!;
    line.splice(line.indexOf(start), 1);
    if (line.length === 0) this.waiting.delete(client);
  }
}
