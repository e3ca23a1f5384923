/** A name that is held among all instances. */
export interface HeldLock {
  /** Resolves when it is held no more: let go of, or the connection that held it has ended. */
  readonly ended: Promise<void>;
  /** Lets go of it; calling it again does nothing. */
  release(): Promise<void>;
}

/** What only one instance may have at a time. */
export interface InstanceLocks {
  /** Whether this is the instance that does what only one may do. */
  readonly leads: boolean;
  /** Holds a name when it is free; undefined when another instance, or another part of this one, holds it. */
  tryLock(name: string): Promise<HeldLock | undefined>;
  /** As `tryLock`, and waits until it is free. */
  lock(name: string): Promise<HeldLock>;
  /** Tries to lead until it is closed, and calls back each time it comes to. */
  campaign(begin: () => void): Promise<void>;
  /** Lets go of everything. */
  close(): Promise<void>;
}
