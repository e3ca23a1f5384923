import { TurnQueue } from '../kernel/turn-queue.js';
import type { InstanceLink, Release } from './instance-link.js';

/** The link of a process that serves its application alone: there is nobody to reach and nothing to lock. */
export class LoneInstance implements InstanceLink {
  readonly id = '';
  readonly isAlone = true;
  readonly isUp = true;
  readonly leads = true;
  readonly reachesAll = true;
  readonly isJoining = false;
  readonly isDirectoryLocked = false;
  readonly turns = undefined;
  private readonly held = new Map<string, { readonly queue: TurnQueue; users: number }>();

  request(name: string): Promise<never> {
    return Promise.reject(new Error(`There is no other process that could answer ${name}.`));
  }

  broadcast(): void {}

  onBroadcast(): void {}

  askOthers(): Promise<readonly unknown[]> {
    return Promise.resolve([]);
  }

  onQuestion(): void {}

  async tryLock(name: string): Promise<Release | undefined> {
    return this.held.has(name) ? undefined : this.lock(name);
  }

  async lock(name: string): Promise<Release> {
    const entry = this.held.get(name) ?? { queue: new TurnQueue(), users: 0 };
    this.held.set(name, entry);
    entry.users++;
    const endTurn = await entry.queue.acquire();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--entry.users === 0) this.held.delete(name);
      endTurn();
    };
  }

  onLead(listener: () => void): void {
    listener();
  }

  runAlone<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }

  ready(): void {}

  async close(): Promise<void> {}
}
