import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { Delivery } from './delivery-writer.js';

/** A delete inside a transaction, with the messages that are written when it is committed. */
interface PendingDelete {
  readonly deliveries: readonly Delivery[];
  /** The topics whose receivers have been chosen. */
  readonly topics: ReadonlySet<string>;
}

const NOTHING: PendingDelete = { deliveries: [], topics: new Set() };

/** Keeps the messages of deletes until their transaction ends. They are dropped at a rollback. */
@Injectable()
export class PendingDeleteEvents {
  /** By record; a record may be deleted, created and deleted again in one transaction. */
  private readonly waiting = new Map<string, PendingDelete[]>();
  private readonly transactions = new Set<Promise<void>>();
  private kept = 0;

  constructor(private readonly database: Database) {}

  /** How much is kept, about. */
  get bytes(): number {
    return this.kept;
  }

  /** Keeps the messages until the transaction around the caller ends. */
  keep(record: RecordModel, deliveries: readonly Delivery[], topics: ReadonlySet<string>): void {
    const key = keyOf(record);
    const pending: PendingDelete = { deliveries, topics };
    this.waiting.set(key, [...(this.waiting.get(key) ?? []), pending]);
    this.kept += bytesOf(pending);
    const ended = new Promise<void>((resolve) => {
      const end = () => {
        this.forget(key, pending);
        resolve();
      };
      // The event of the commit, which takes the messages, arrives before this runs.
      this.database.afterCommit(end);
      this.database.afterRollback(end);
    });
    this.transactions.add(ended);
    void ended.then(() => this.transactions.delete(ended));
  }

  /** The messages of a delete that has been committed. */
  take(record: RecordModel): PendingDelete {
    // Before the key is made: one commit may delete a hundred thousand.
    if (this.waiting.size === 0) return NOTHING;
    const key = keyOf(record);
    const pending = this.waiting.get(key)?.[0];
    if (!pending) return NOTHING;
    this.forget(key, pending);
    return pending;
  }

  /** Resolves when every delete that was prepared until now is committed or rolled back. */
  async settled(): Promise<void> {
    await Promise.all(this.transactions);
  }

  private forget(key: string, pending: PendingDelete): void {
    const all = this.waiting.get(key) ?? [];
    const others = all.filter((each) => each !== pending);
    if (others.length < all.length) this.kept -= bytesOf(pending);
    if (others.length > 0) this.waiting.set(key, others);
    else this.waiting.delete(key);
  }
}

function bytesOf({ deliveries }: PendingDelete): number {
  let bytes = 0;
  for (const { data } of deliveries) bytes += data.length;
  return bytes;
}

function keyOf({ collection, id }: RecordModel): string {
  return `${collection.id}/${id}`;
}
