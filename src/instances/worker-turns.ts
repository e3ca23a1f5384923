import { type EndTurn, type SharedTurns, TurnQueue } from '../kernel/turn-queue.js';
import { unlessAborted } from '../kernel/unless-aborted.js';

/**
 * Milliseconds for which a worker keeps the turn for its own writers although another worker waits, because passing it
 * on takes as long as some writes.
 */
const GOES_ON = 10;

/**
 * Turns to write among workers. The parent gives the right to one worker at a time, in the order of requests. A worker
 * keeps it until another one asks, so that a single writer never waits.
 */
export class WorkerTurns implements SharedTurns {
  private readonly here = new TurnQueue();
  private isOurs = false;
  private isWanted = false;
  private isInUse = false;
  private isAwaited = false;
  private since = 0;
  private coming: { readonly granted: Promise<void>; readonly grant: () => void } | undefined;

  constructor(
    /** Asks the parent for the right. */
    private readonly wantTurn: () => void,
    /** Gives the right back to the parent. */
    private readonly passTurn: () => void,
  ) {}

  tryAcquire(signal?: AbortSignal): EndTurn | undefined {
    const end = this.isOurs ? this.here.tryAcquire(signal) : undefined;
    return end && this.begin(end);
  }

  async acquire(signal?: AbortSignal): Promise<EndTurn> {
    const end = await this.here.acquire(signal);
    try {
      this.isAwaited = true;
      while (!this.isOurs) await this.awaitRight(signal);
    } catch (error) {
      end();
      throw error;
    } finally {
      this.isAwaited = false;
    }
    return this.begin(end);
  }

  tryAcquireLocal(): EndTurn | undefined {
    return this.here.tryAcquire();
  }

  /** The right is with this worker; others wait for it already when `isWanted`. */
  granted(isWanted: boolean): void {
    this.isOurs = true;
    this.isWanted = isWanted;
    this.since = performance.now();
    this.coming?.grant();
    this.coming = undefined;
    // Whoever asked may have given up waiting.
    if (isWanted && !this.isAwaited) this.giveBack();
  }

  /** Another worker has asked for the right. */
  wanted(): void {
    this.isWanted = true;
    if (!this.isInUse && !this.isAwaited && !this.here.isWaitedFor) this.giveBack();
  }

  private begin(end: EndTurn): EndTurn {
    this.isInUse = true;
    return () => {
      if (!this.isInUse) return end();
      this.isInUse = false;
      const goesOn = this.here.isWaitedFor && performance.now() - this.since < GOES_ON;
      if (this.isWanted && !goesOn) this.giveBack();
      end();
    };
  }

  private giveBack(): void {
    this.isOurs = false;
    this.isWanted = false;
    this.passTurn();
  }

  private async awaitRight(signal?: AbortSignal): Promise<void> {
    if (!this.coming) {
      let grant: () => void = () => undefined;
      this.coming = { granted: new Promise<void>((resolve) => (grant = resolve)), grant };
      this.wantTurn();
    }
    const { granted } = this.coming;
    await (signal ? unlessAborted(() => granted, signal) : granted);
  }
}
