import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../../config/roost-config.js';
import { EPHEMERAL_STORE, type EphemeralStore, type EphemeralValue } from '../../ephemeral/ephemeral-store.js';
import { clientOf } from '../../http/request/client-ip.js';
import type { Clock } from '../../kernel/clock.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { andThen, type MaybePromise } from '../../kernel/maybe-promise.js';
import type { Caller } from '../../kernel/records/caller.js';

const WINDOW = 3_000;
const FREE_REQUESTS = 3;
const MAX_DELAY = 500;

/**
 * Slows down guessing by filter (GRD-6): a caller who keeps getting empty lists from a collection whose rule hides
 * records must not learn anything from the time they take.
 */
@Injectable()
export class ListDelay {
  constructor(
    @Inject(EPHEMERAL_STORE) private readonly store: EphemeralStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async afterEmptyList(collection: Collection, caller: Caller, filter: string): Promise<void> {
    if (caller.isSuperuser || filter === '' || !collection.listRule) return;
    if (await this.isOneTooMany(`empty-lists:${clientOf(caller.ip)} ${collection.id}`))
      await sleep(randomInt(MAX_DELAY + 1));
  }

  /**
   * Notes when the latest empty lists of somebody were answered, the oldest first. In memory nothing happens in
   * between; of requests at different instances at the same moment one may be forgotten, which is a delay less.
   */
  private isOneTooMany(key: string): MaybePromise<boolean> {
    const now = this.clock.now();
    return andThen(this.store.get(key), (latest: EphemeralValue | undefined) => {
      const before = ((latest ?? []) as readonly number[]).filter((moment) => moment > now - WINDOW);
      const noted = this.store.set(key, [...before, now].slice(-FREE_REQUESTS), WINDOW);
      return andThen(noted, () => before.length === FREE_REQUESTS);
    });
  }
}
