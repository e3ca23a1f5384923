import type { RecordModel } from 'pocketbase';
import type { RecordChange } from './live-pages.js';

/** Milliseconds in which the event for a list's filter follows the one for everything. */
export const TOGETHER_MS = 400;

/** What the list does with what it hears. */
export interface LiveList {
  readonly apply: (change: RecordChange) => void;
  /** Asks the server whether a record still fits the filter. */
  readonly fits: (id: string) => Promise<boolean>;
}

/** What was heard of a record: of how many updates, and of how many of them with the list's filter. */
interface Heard {
  timer: ReturnType<typeof setTimeout> | undefined;
  updates: number;
  fitting: number;
}

/**
 * Makes one story of two subscriptions (UI-78). With the list's own filter the server tells what enters it and what
 * changes in it. It tells nothing of what an update moves out of the filter: that is heard of by the other
 * subscription, without a filter.
 */
export class LiveEvents {
  private readonly heard = new Map<string, Heard>();

  constructor(
    private readonly list: LiveList,
    private readonly hasFilter: boolean,
  ) {}

  /** An event of the subscription with the list's filter. */
  fitting(change: RecordChange): void {
    if (this.hasFilter && change.action === 'update') this.heardOf(change.record).fitting += 1;
    this.list.apply(change);
  }

  /** An event of the subscription to everything, beside one with a filter. */
  any({ action, record }: RecordChange): void {
    if (action !== 'update') return;
    const heard = this.heardOf(record);
    heard.updates += 1;
    clearTimeout(heard.timer);
    heard.timer = setTimeout(() => void this.settle(record).catch(() => undefined), TOGETHER_MS);
  }

  /** Forgets what has not been settled. */
  stop(): void {
    for (const { timer } of this.heard.values()) clearTimeout(timer);
    this.heard.clear();
  }

  private heardOf({ id }: RecordModel): Heard {
    let heard = this.heard.get(id);
    if (!heard) this.heard.set(id, (heard = { timer: undefined, updates: 0, fitting: 0 }));
    return heard;
  }

  /** Some update was told without the filter only, which may have been the last one or not. */
  private async settle(record: RecordModel): Promise<void> {
    const { updates, fitting } = this.heard.get(record.id)!;
    this.heard.delete(record.id);
    if (fitting < updates && !(await this.list.fits(record.id))) this.list.apply({ action: 'leave', record });
  }
}
