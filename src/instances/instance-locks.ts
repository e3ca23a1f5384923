/** A lock on a name among all instances. */
export interface HeldLock {
  /** Resolves when the lock is gone: released, or its connection has ended. */
  readonly ended: Promise<void>;
  /** Releases it; calling it again does nothing. */
  release(): Promise<void>;
}

/** Locks among all instances. */
export interface InstanceLocks {
  /** Whether this instance is the leader. */
  readonly leads: boolean;
  /** Locks a name when it is free; undefined when another instance, or another part of this one, has it. */
  tryLock(name: string): Promise<HeldLock | undefined>;
  /** As `tryLock`, and waits until it is free. */
  lock(name: string): Promise<HeldLock>;
  /** Tries to become the leader until closed, and calls back each time it does. */
  campaign(begin: () => void): Promise<void>;
  /** Releases all locks. */
  close(): Promise<void>;
}
