import { Inject, Injectable } from '@nestjs/common';
import { CollectionChanged } from '../collections/collection-changed.event.js';
import { CollectionDeleted } from '../collections/collection-deleted.event.js';
import { Database } from '../database/database.js';
import { EVENT_BUS, type EventBus } from '../events/event-bus.js';
import { OnEvent } from '../events/on-event.decorator.js';
import { SUPERUSERS_ID } from '../kernel/records/caller.js';
import { RecordChanged } from '../records/record-changed.event.js';
import { allowsSuperusers } from '../settings/allows-superusers.js';
import { SettingsChanged } from '../settings/settings-changed.event.js';
import { AccountRefresher } from './account-refresher.js';
import type { RealtimeClient } from './realtime-client.js';
import { RealtimeClients } from './realtime-clients.js';
import { TokensRevoked } from './tokens-revoked.event.js';

/** Milliseconds in which accounts are read again at most once where other processes serve the same data. */
const PEERS_PAUSE = 5_000;

/** What happens to an account reaches its open streams: new values, or back to being a guest (RT-34). */
@Injectable()
export class AuthChangesListener {
  private due: NodeJS.Timeout | undefined;

  constructor(
    private readonly clients: RealtimeClients,
    private readonly accounts: AccountRefresher,
    @Inject(EVENT_BUS) private readonly events: EventBus,
    database: Database,
  ) {
    // Another process may have changed accounts, for example `superuser update`.
    database.changes.onExternalChange(() => this.refreshSoon(database.hasPeers ? PEERS_PAUSE : 0));
  }

  @OnEvent(RecordChanged, { everywhere: 'streams' })
  recordChanged({ action, record, before }: RecordChanged): void {
    if (!record.collection.isAuth) return;
    const keepsTokens = action !== 'delete' && record.get('tokenKey') === before?.get('tokenKey');
    for (const client of this.clients.ofAccount(record)) this.clients.become(client, keepsTokens ? record : null);
  }

  @OnEvent(CollectionChanged)
  collectionChanged({ before, after }: CollectionChanged): void | Promise<void> {
    const clients = this.clients.ofCollection(after.id);
    if (before?.auth?.authToken.secret !== after.auth?.authToken.secret) {
      this.events.publish(new TokensRevoked(after.id));
    } else if (clients.length > 0) return this.accounts.refresh(clients);
  }

  @OnEvent(CollectionDeleted)
  collectionDeleted({ collection }: CollectionDeleted): void {
    if (collection.isAuth) this.events.publish(new TokensRevoked(collection.id));
  }

  @OnEvent(TokensRevoked, { everywhere: 'streams' })
  tokensRevoked({ collectionId }: TokensRevoked): void {
    this.makeGuests(this.clients.ofCollection(collectionId));
  }

  @OnEvent(SettingsChanged)
  settingsChanged({ after }: SettingsChanged): void {
    this.makeGuests(this.clients.ofCollection(SUPERUSERS_ID).filter(({ ip }) => !allowsSuperusers(after, ip)));
  }

  /**
   * Changes made by other instances arrive as events, but the database reports them as well, all the time; so accounts
   * are not read again more often than after this pause.
   */
  private refreshSoon(pause: number): void | Promise<void> {
    if (pause === 0) return this.accounts.refresh(this.clients.all());
    this.due ??= setTimeout(() => {
      this.due = undefined;
      // Not possible while the database is away; the next change tries again.
      this.accounts.refresh(this.clients.all()).catch(() => this.refreshSoon(pause));
    }, pause).unref();
  }

  private makeGuests(clients: readonly RealtimeClient[]): void {
    for (const client of clients) this.clients.become(client, null);
  }
}
