import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { type EndTurn, TurnQueue } from '../../kernel/turn-queue.js';
import { PlaceNeeded } from '../transaction-scope.js';
import { isCanceled } from './postgres-errors.js';

/** Milliseconds after which a statement counts as long. */
export const LONG = 100;
/** Texts of statements that are remembered as long. */
const REMEMBERED = 100;

interface LongWorkOptions {
  /** Connections of the pool. */
  readonly pool: number;
  /** Seconds to wait for a place; 0 is no limit. */
  readonly patience: number;
  /** Stops what a process of the server is doing. */
  readonly cancel: (process: number) => Promise<void>;
}

/** Whoever has a connection. */
interface Holder {
  /** The process of the server behind it. */
  readonly process: number;
  /** Whether what it does may be stopped and done again from the start. */
  readonly mayBeStopped: () => boolean;
  /** The place it has from the beginning. */
  readonly place?: EndTurn;
  /** For whom it is, as `clientOf` says. */
  readonly client?: string;
}

/**
 * Keeps what takes long from having all connections of the pool, so that the others go on (OPS-39, SCALE-3): it has half
 * of them. What goes on for longer than expected takes one of these places; where none is free it is stopped, waits for
 * one without a connection, and begins again. Waiting for the lock of a row is no different from work.
 */
export class LongWork {
  private readonly places: TurnQueue;
  /** Texts of statements that were stopped, the latest last. Such a one waits for a place before it begins. */
  private readonly known = new Set<string>();

  constructor(private readonly options: LongWorkOptions) {
    this.places = new TurnQueue(Math.max(1, Math.floor(options.pool / 2)));
  }

  isKnown(sql: string): boolean {
    return this.known.size > 0 && this.known.has(sql);
  }

  learn(sql: string): void {
    this.known.delete(sql);
    this.known.add(sql);
    if (this.known.size > REMEMBERED) this.known.delete(this.known.values().next().value!);
  }

  /** With other values it is quick, or the machine was busy. */
  forget(sql: string): void {
    this.known.delete(sql);
  }

  /** A place when it is free. Rejects when that takes too long, or with the reason of the signal. */
  async place(signal?: AbortSignal, client?: string): Promise<EndTurn> {
    const { patience } = this.options;
    const limit = patience > 0 ? AbortSignal.timeout(Math.ceil(patience * 1000)) : undefined;
    const signals = [signal, limit].filter((each) => each !== undefined);
    try {
      return await this.places.acquire(signals.length > 0 ? AbortSignal.any(signals) : undefined, client);
    } catch (error) {
      if (signal?.aborted || !limit?.aborted) throw error;
      throw new BadRequestError('The query waited too long for its turn and was cut off.', {}, { cause: error });
    }
  }

  /** Has a look at what goes on on a connection, until it is given back. */
  hold(holder: Holder): HeldConnection {
    return new HeldConnection(holder, () => this.places.tryAcquire(undefined, holder.client), this.options.cancel);
  }
}

/** A connection somebody has, and the place for what takes long there. */
export class HeldConnection {
  private place?: EndTurn;
  private stopping?: Promise<void>;
  private isBeingStopped = false;

  constructor(
    private readonly holder: Holder,
    private readonly takePlace: () => EndTurn | undefined,
    private readonly cancel: (process: number) => Promise<void>,
  ) {
    this.place = holder.place;
  }

  /**
   * Runs a statement, or several. Rejects with PlaceNeeded when it was stopped: its holder is to wait for a place.
   * `isTooLate` tells whether what is left of it is not to be stopped any more.
   */
  async watch<T>(run: () => Promise<T>, isTooLate?: () => boolean): Promise<T> {
    if (this.place) return run();
    let isOver = false;
    const timer = setTimeout(() => {
      // Where this process was busy, the answer may be there already.
      setImmediate(() => isOver || this.takesLong(isTooLate));
    }, LONG);
    try {
      return await run();
    } catch (error) {
      if (this.stopping && isCanceled(error)) throw new PlaceNeeded({ cause: error });
      throw error;
    } finally {
      isOver = true;
      clearTimeout(timer);
      await this.stopping;
    }
  }

  /**
   * To be called when the connection is given back. Whether it is of no use for others, because what they do might be
   * stopped in its stead.
   */
  end(): boolean {
    this.place?.();
    this.place = undefined;
    return this.isBeingStopped;
  }

  private takesLong(isTooLate = (): boolean => false): void {
    this.place ??= this.takePlace();
    if (this.place || this.stopping || isTooLate() || !this.holder.mayBeStopped()) return;
    this.isBeingStopped = true;
    // When it cannot be stopped it goes on.
    const stopping = this.cancel(this.holder.process).catch(() => undefined);
    this.stopping = stopping.then(() => void (this.isBeingStopped = false));
  }
}
