import type { Collection } from '../../kernel/collections/collection.js';
import type { Caller } from '../../kernel/records/caller.js';
import type { OAuth2Client } from './oauth2-client.js';
import type { OAuth2User } from './oauth2-user.js';

/** A user whom a provider has named, on the way to a record of a collection. */
export interface OAuth2Identity {
  readonly collection: Collection;
  readonly client: OAuth2Client;
  readonly user: OAuth2User;
  /** Who asked: usually a guest, a record that links another account to itself, or a superuser. */
  readonly caller: Caller;
  /** The id of the record a hook says it is. */
  readonly named?: string;
}
