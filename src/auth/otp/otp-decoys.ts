import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../../config/roost-config.js';
import { EPHEMERAL_STORE, type EphemeralStore } from '../../ephemeral/ephemeral-store.js';
import { EphemeralValues } from '../../ephemeral/ephemeral-values.js';
import type { Clock } from '../../kernel/clock.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { newRecordId } from '../../kernel/ids.js';

/** What an id was handed out for. */
type Decoy = Readonly<{
  /** Collection and address. */
  owner: string;
  /** Its place among those of the owner. */
  place: number;
}>;

/** The id that has a place, and since when. */
type Occupant = Readonly<{ id: string; since: number }>;

/**
 * The ids handed out for addresses without an account, remembered as long as a real one-time password would live, so
 * that everything one can do with an id goes the same way for both (AUTH-837). Each takes a place of its address, so
 * that there are never more than there may be, however many are asked for at the same time.
 */
@Injectable()
export class OtpDecoys {
  private readonly decoys: EphemeralValues<Decoy>;
  private readonly places: EphemeralValues<Occupant>;

  constructor(
    @Inject(EPHEMERAL_STORE) store: EphemeralStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.decoys = new EphemeralValues(store, 'otp-decoy');
    this.places = new EphemeralValues(store, 'otp-decoy-place');
  }

  /** A new id, or the latest one when `max` of them are still good. `address` as the collection compares it. */
  async issue(collection: Collection, address: string, max: number): Promise<string> {
    const owner = `${collection.id}/${address}`;
    const lifetime = collection.auth!.otp.duration * 1000;
    const occupant = { id: newRecordId(), since: this.clock.now() };
    for (let place = 0; place < max; place++) {
      if (!(await this.places.setIfAbsent(placeOf(owner, place), occupant, lifetime))) continue;
      await this.decoys.set(occupant.id, { owner, place }, lifetime);
      return occupant.id;
    }
    const places = Array.from({ length: max }, (_, place) => this.places.get(placeOf(owner, place)));
    const open = (await Promise.all(places)).filter((other) => other !== undefined);
    return open.reduce((latest, other) => (other.since < latest.since ? latest : other), open[0] ?? occupant).id;
  }

  /** Whose attempts to count for an id; undefined when it is none of ours, of another collection, or has expired. */
  async findOwner(collection: Collection, id: string): Promise<string | undefined> {
    const owner = (await this.decoys.get(id))?.owner;
    return owner?.startsWith(`${collection.id}/`) ? owner : undefined;
  }

  /** Forgets an id as a real one is deleted. */
  async drop(id: string): Promise<void> {
    const decoy = await this.decoys.take(id);
    if (decoy === undefined) return;
    const place = placeOf(decoy.owner, decoy.place);
    if ((await this.places.get(place))?.id === id) await this.places.delete(place);
  }
}

function placeOf(owner: string, place: number): string {
  return `${owner}/${place}`;
}
