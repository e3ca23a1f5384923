import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { SharedTurns } from '../kernel/turn-queue.js';
import type { RequestChannel } from './request-channel.js';

/** DI token of the InstanceLink. */
export const INSTANCE_LINK = Symbol('INSTANCE_LINK');

/** What all that remain are told when one has ended: its id. */
export const INSTANCE_GONE = 'gone';

/** What this process is told when it hears the others again after it has not for a while. */
export const INSTANCE_BACK = 'back';

/** How long those who are asked may think about an answer. */
export interface AskOptions {
  /** Until they have one. Only for a link that reaches all others. */
  readonly withoutTimeout?: boolean;
  /** Only one can have an answer: nobody is waited for once it is there. One that has just ended says nothing. */
  readonly ofOne?: boolean;
}

/** Lets go of what is held under a name; calling it again does nothing. */
export type Release = () => void;

/**
 * The processes that serve one application together, as one of them sees the others. What is said to them is plain JSON
 * and reaches those that run at this moment; what must not get lost stands in the database (see Outbox).
 */
export interface InstanceLink extends RequestChannel {
  /** The name of this process among them; `''` where it is alone. */
  readonly id: string;
  /** No other process serves this application, or ever will while this one runs. */
  readonly isAlone: boolean;
  /** Others were serving before this one began: what is done once, before anybody serves, is done. */
  readonly isJoining: boolean;
  /** Another process keeps the data directory for all of them. */
  readonly isDirectoryLocked: boolean;
  /** The turns to write to a file that others write to as well; undefined where none do. */
  readonly turns: SharedTurns | undefined;
  /** Tells the others what this one has to say under a topic. */
  broadcast(topic: string, payload?: unknown): void;
  /** Calls back for what others broadcast. */
  onBroadcast(topic: string, listener: (payload: unknown) => void): void;
  /** What is said reaches each of the others for as long as that lives: none can be cut off. */
  readonly reachesAll: boolean;
  /** The answers of those that have one, as far as they come within two seconds; `patiently`, of each that lives. */
  askOthers(question: string, payload: unknown, options?: AskOptions): Promise<readonly unknown[]>;
  /** Answers questions of the others; undefined is no answer. */
  onQuestion(question: string, answer: (payload: unknown) => MaybePromise<unknown>): void;
  /** Holds a name among all processes, when it is free; undefined when another one holds it. */
  tryLock(name: string): Promise<Release | undefined>;
  /** As `tryLock`, and waits until it is free. */
  lock(name: string): Promise<Release>;
  /** Calls back once this process is the one that does what only one may do; at once when it is already. */
  onLead(listener: () => void): void;
  /** Whether it is that one at this moment: one that loses the database may have to leave it to another. */
  readonly leads: boolean;
  /** Does something while no other process serves the application: the others end before it and begin anew after it. */
  runAlone<T>(work: () => Promise<T>): Promise<T>;
  /** This process serves from now on. */
  ready(): void;
  /** Whether what others say arrives at the moment. */
  readonly isUp: boolean;
  /** Says good-bye to the others. */
  close(): Promise<void>;
}
