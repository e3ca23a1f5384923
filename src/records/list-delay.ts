import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { Caller } from '../kernel/records/caller.js';

const WINDOW = 3_000;
const FREE_REQUESTS = 3;
const MAX_DELAY = 500;

/**
 * Slows down guessing by filter (GRD-6): who keeps getting empty lists from a collection whose rule hides records
 * must not learn from the time they take.
 */
@Injectable()
export class ListDelay {
  private readonly windows = new LRUCache<string, { count: number; readonly until: number }>({ max: 10_000 });

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  async afterEmptyList(collection: Collection, caller: Caller, filter: string): Promise<void> {
    if (caller.isSuperuser || filter === '' || !collection.listRule) return;
    const key = `${caller.ip} ${collection.id}`;
    const now = this.clock.now();
    const open = this.windows.get(key);
    const window = open && open.until > now ? open : { count: 0, until: now + WINDOW };
    window.count++;
    this.windows.set(key, window);
    if (window.count > FREE_REQUESTS) await sleep(randomInt(MAX_DELAY + 1));
  }
}
