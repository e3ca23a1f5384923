import { TooManyRequestsError } from './errors/too-many-requests.error.js';
import type { MaybePromise } from './maybe-promise.js';

/** For whom something is done: clients take turns, and so do the accounts of one client. */
export interface FairTurn {
  /** As `clientOf` says; '' for code that acts by itself. */
  readonly client: string;
  readonly account: string;
  /** Called when its turn has come. A throw refuses the work before any of it is done. */
  readonly mayStart?: () => MaybePromise<void>;
}

/** How much is done at a time, and how much may wait. */
export interface FairLimits {
  readonly running: number;
  /** Over all clients. */
  readonly waiting: number;
  /** Of one client; code that acts by itself has no such limit. */
  readonly waitingOfClient: number;
  /** What is told to those who are refused. */
  readonly refusal: string;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/** What one client waits for, by account. */
type Lanes = Map<string, Waiting[]>;

/** Seconds. */
const RETRY_AFTER = 5;

const BY_ITSELF: FairTurn = { client: '', account: '' };

/**
 * Runs a few pieces of work at a time; the rest waits. Clients are served round-robin, and the accounts of a client as
 * well, so that a thousand guesses of one delay others by one at most (OPS-39).
 *
 * When the queue is full, the last of the longest line is refused, or the new one when its own line is as long; whoever
 * is refused gets a 429.
 */
export class FairQueue {
  private readonly clients = new Map<string, Lanes>();
  private running = 0;
  private waiting = 0;

  constructor(private readonly limits: FairLimits) {}

  /** Whether whatever comes next has to wait. */
  get isBusy(): boolean {
    return this.running >= this.limits.running;
  }

  async run<T>(work: () => Promise<T>, turn: FairTurn = BY_ITSELF): Promise<T> {
    await this.takeTurn(turn);
    try {
      await turn.mayStart?.();
      return await work();
    } finally {
      const next = this.next();
      if (next) next.start();
      else this.running--;
    }
  }

  private takeTurn({ client, account }: FairTurn): Promise<void> {
    if (!this.isBusy) {
      this.running++;
      return Promise.resolve();
    }
    this.makeRoom(client, account);
    const lanes = this.clients.get(client) ?? new Map<string, Waiting[]>();
    const lane = lanes.get(account) ?? [];
    this.clients.set(client, lanes);
    lanes.set(account, lane);
    this.waiting++;
    return new Promise((start, refuse) => lane.push({ start, refuse }));
  }

  /** The next in turn. A Map keeps insertion order, so whoever had a turn is put at the end. */
  private next(): Waiting | undefined {
    for (const [client, lanes] of this.clients) {
      for (const [account, lane] of lanes) {
        const next = lane.shift();
        lanes.delete(account);
        if (lane.length > 0) lanes.set(account, lane);
        this.clients.delete(client);
        if (lanes.size > 0) this.clients.set(client, lanes);
        this.waiting--;
        return next;
      }
    }
    return undefined;
  }

  private makeRoom(client: string, account: string): void {
    const own: Lanes = this.clients.get(client) ?? new Map<string, Waiting[]>();
    const size = sizeOf(own);
    if (this.waiting >= this.limits.waiting) {
      const [crowd, lanes] = longest(this.clients, sizeOf)!;
      if (sizeOf(lanes) > size + 1) return this.drop(crowd, longest(lanes, lengthOf)![0]);
    } else if (client === '' || size < this.limits.waitingOfClient) {
      return;
    }
    const [crowd, lane] = longest(own, lengthOf) ?? ['', []];
    if (lane.length <= lengthOf(own.get(account)) + 1) throw this.refusal();
    this.drop(client, crowd);
  }

  /** Refuses the last one of a line. */
  private drop(client: string, account: string): void {
    const lanes = this.clients.get(client)!;
    const lane = lanes.get(account)!;
    lane.pop()!.refuse(this.refusal());
    this.waiting--;
    if (lane.length === 0) lanes.delete(account);
    if (lanes.size === 0) this.clients.delete(client);
  }

  private refusal(): TooManyRequestsError {
    return new TooManyRequestsError(RETRY_AFTER, this.limits.refusal);
  }
}

function sizeOf(lanes: Lanes): number {
  let size = 0;
  for (const lane of lanes.values()) size += lane.length;
  return size;
}

function lengthOf(lane: readonly Waiting[] | undefined): number {
  return lane?.length ?? 0;
}

function longest<Line>(lines: ReadonlyMap<string, Line>, size: (line: Line) => number): [string, Line] | undefined {
  let found: [string, Line] | undefined;
  for (const entry of lines) {
    if (!found || size(entry[1]) > size(found[1])) found = entry;
  }
  return found;
}
