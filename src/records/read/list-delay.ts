import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MONOTONIC_CLOCK } from '../../config/roost-config.js';
import { clientOf } from '../../http/request/client-ip.js';
import type { Clock } from '../../kernel/clock.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { Caller } from '../../kernel/records/caller.js';

const WINDOW = 3_000;
const FREE_REQUESTS = 3;
const MAX_DELAY = 500;

/**
 * Slows down guessing by filter (GRD-6): who keeps getting empty lists from a collection whose rule hides records
 * must not learn from the time they take.
 */
@Injectable()
export class ListDelay {
  /** When the latest empty lists of somebody were answered, the oldest first. */
  private readonly latest = new LRUCache<string, readonly number[]>({ max: 10_000 });

  constructor(@Inject(MONOTONIC_CLOCK) private readonly clock: Clock) {}

  async afterEmptyList(collection: Collection, caller: Caller, filter: string): Promise<void> {
    if (caller.isSuperuser || filter === '' || !collection.listRule) return;
    const key = `${clientOf(caller.ip)} ${collection.id}`;
    const now = this.clock.now();
    const before = (this.latest.get(key) ?? []).filter((moment) => moment > now - WINDOW);
    this.latest.set(key, [...before, now].slice(-FREE_REQUESTS));
    if (before.length === FREE_REQUESTS) await sleep(randomInt(MAX_DELAY + 1));
  }
}
