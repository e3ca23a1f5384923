import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { SharedTurns } from '../kernel/turn-queue.js';

/** Asks something of another process. Rejects with what that failed with, and when it can no longer answer. */
export interface RequestChannel {
  request(name: string, payload: unknown): Promise<unknown>;
}

/** What answers a request on the other side. */
export type RequestAnswer = (payload: unknown) => unknown;

/** What answers there, by the names of the requests. */
export type RequestAnswers = Readonly<Record<string, RequestAnswer>>;

/** DI token of the InstanceLink. */
export const INSTANCE_LINK = Symbol('INSTANCE_LINK');

/** The topic of the message that an instance has ended; the payload is its id. */
export const INSTANCE_GONE = 'gone';

/** The topic of the message that this instance hears the others again after an interruption. */
export const INSTANCE_BACK = 'back';

/** How long answers are waited for. */
export interface AskOptions {
  /** Waits until all have answered. Only for a link that reaches all others. */
  readonly withoutTimeout?: boolean;
  /**
   * Only one can have an answer, so nobody else is waited for once it is there. One that has just ended does not
   * answer.
   */
  readonly ofOne?: boolean;
}

/** Releases a lock; calling it again does nothing. */
export type Release = () => void;

/**
 * The link from this process to the others that serve the same application. Messages are plain JSON and reach those
 * that run at this moment; what must not get lost is stored in the database (see Outbox).
 */
export interface InstanceLink extends RequestChannel {
  /** The name of this process among them; `''` where it is alone. */
  readonly id: string;
  /** No other process serves this application, nor will while this one runs. */
  readonly isAlone: boolean;
  /** Others were serving before this one started, so work of the first start is done. */
  readonly isJoining: boolean;
  /** Another process holds the lock on the data directory for all of them. */
  readonly isDirectoryLocked: boolean;
  /** The turns to write to a file that other processes write as well; undefined where none do. */
  readonly turns: SharedTurns | undefined;
  /** Sends a message under a topic to all others. */
  broadcast(topic: string, payload?: unknown): void;
  /** Calls back for messages of others. */
  onBroadcast(topic: string, listener: (payload: unknown) => void): void;
  /** Whether a message certainly reaches every other process that lives. */
  readonly reachesAll: boolean;
  /** The answers of those that have one and answer within two seconds; `withoutTimeout` waits for each that lives. */
  askOthers(question: string, payload: unknown, options?: AskOptions): Promise<readonly unknown[]>;
  /** Answers questions of the others; undefined is no answer. */
  onQuestion(question: string, answer: (payload: unknown) => MaybePromise<unknown>): void;
  /** Locks a name among all processes when it is free; undefined when another one has it. */
  tryLock(name: string): Promise<Release | undefined>;
  /** As `tryLock`, and waits until it is free. */
  lock(name: string): Promise<Release>;
  /** Calls back once this process is the leader, which runs what only one process may; at once when it is. */
  onLead(listener: () => void): void;
  /** Whether it is the leader at this moment; one that loses the database may lose this too. */
  readonly leads: boolean;
  /** Runs work while no other process serves the application: the others end before it and start again after it. */
  runAlone<T>(work: () => Promise<T>): Promise<T>;
  /** Announces that this process serves from now on. */
  ready(): void;
  /** Whether messages of others arrive at the moment. */
  readonly isUp: boolean;
  /** Leaves the others. */
  close(): Promise<void>;
}
