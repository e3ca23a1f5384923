import { Inject, Injectable } from '@nestjs/common';
import { MONOTONIC_CLOCK } from '../../config/roost-config.js';
import type { Clock } from '../../kernel/clock.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { newRecordId } from '../../kernel/ids.js';
import { ExpiringMap } from '../../kernel/throttling/expiring-map.js';

interface Decoy {
  readonly id: string;
  readonly expires: number;
}

const MAX_REMEMBERED = 50_000;

/**
 * The ids handed out for addresses without an account, remembered as long as a real one-time password would live, so
 * that everything one can do with an id goes the same way for both (AUTH-837).
 */
@Injectable()
export class OtpDecoys {
  /** The address an id was handed out for. */
  private readonly owners: ExpiringMap<string>;
  private readonly issued: ExpiringMap<readonly Decoy[]>;

  constructor(@Inject(MONOTONIC_CLOCK) private readonly clock: Clock) {
    this.owners = new ExpiringMap(clock, MAX_REMEMBERED);
    this.issued = new ExpiringMap(clock, MAX_REMEMBERED);
  }

  /** A new id, or the latest one when `max` of them are still good. `address` as the collection compares it. */
  issue(collection: Collection, address: string, max: number): string {
    const owner = `${collection.id}/${address}`;
    const lifetime = collection.auth!.otp.duration * 1000;
    const now = this.clock.now();
    const open = (this.issued.get(owner) ?? []).filter(({ expires }) => now < expires);
    if (open.length >= max) return open.at(-1)!.id;
    const id = newRecordId();
    this.owners.set(id, owner, lifetime);
    this.issued.set(owner, [...open, { id, expires: now + lifetime }], lifetime);
    return id;
  }

  /** Whose attempts to count for an id; undefined when it is none of ours, of another collection, or has expired. */
  findOwner(collection: Collection, id: string): string | undefined {
    const owner = this.owners.get(id);
    return owner?.startsWith(`${collection.id}/`) ? owner : undefined;
  }

  /** Forgets an id as a real one is deleted. */
  drop(id: string): void {
    const owner = this.owners.get(id);
    if (owner === undefined) return;
    this.owners.delete(id);
    const rest = (this.issued.get(owner) ?? []).filter((decoy) => decoy.id !== id);
    this.issued.set(owner, rest, Math.max(0, ...rest.map(({ expires }) => expires - this.clock.now())));
  }
}
