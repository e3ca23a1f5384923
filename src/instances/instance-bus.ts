/** Reads a message. */
export type BusListener = (message: string) => void;

/**
 * Carries texts from each instance to all of them, the sender included: quickly, in the order of each sender, and only
 * to those that listen at that moment. What must not get lost stands in the database, and a message wakes whoever reads
 * it.
 */
export interface InstanceBus {
  /** Connects. Rejects with a StartError that says in one line what is wrong. */
  open(): Promise<void>;
  /** Whether messages arrive at the moment. */
  readonly isUp: boolean;
  /** Rejects while there is no connection. */
  publish(channel: string, message: string): Promise<void>;
  /** Listens to a channel from now on, and again whenever the connection is back. One listener for each channel. */
  subscribe(channel: string, listener: BusListener): Promise<void>;
  /** Calls back when messages may be missed from now on. */
  onLost(listener: () => void): void;
  /** Calls back when messages arrive again: what was missed has to be looked for now. */
  onBack(listener: () => void): void;
  close(): void | Promise<void>;
}
