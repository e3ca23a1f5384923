import { Injectable } from '@nestjs/common';
import { CollectionChanged } from '../collections/collection-changed.event.js';
import { CollectionDeleted } from '../collections/collection-deleted.event.js';
import { Database } from '../database/database.js';
import { OnEvent } from '../events/on-event.decorator.js';
import { IpList } from '../kernel/ip-list.js';
import { SUPERUSERS_ID } from '../kernel/records/caller.js';
import { RecordChanged } from '../records/record-changed.event.js';
import { SettingsChanged } from '../settings/settings-changed.event.js';
import { AccountRefresher } from './account-refresher.js';
import type { RealtimeClient } from './realtime-client.js';
import { RealtimeClients } from './realtime-clients.js';

/** What happens to an account reaches its open streams: new values, or back to being a guest (RT-34). */
@Injectable()
export class AuthChangesListener {
  constructor(
    private readonly clients: RealtimeClients,
    private readonly accounts: AccountRefresher,
    database: Database,
  ) {
    // Another process may have changed accounts, for example `superuser update`.
    database.changes.onExternalChange(() => this.accounts.refresh(this.clients.all()));
  }

  @OnEvent(RecordChanged)
  recordChanged({ action, record, before }: RecordChanged): void {
    if (!record.collection.isAuth) return;
    const keepsTokens = action !== 'delete' && record.get('tokenKey') === before?.get('tokenKey');
    for (const client of this.clients.ofAccount(record)) this.clients.become(client, keepsTokens ? record : null);
  }

  @OnEvent(CollectionChanged)
  collectionChanged({ before, after }: CollectionChanged): void | Promise<void> {
    const clients = this.clients.ofCollection(after.id);
    if (clients.length === 0) return;
    if (before?.auth?.authToken.secret === after.auth?.authToken.secret) return this.accounts.refresh(clients);
    this.makeGuests(clients);
  }

  @OnEvent(CollectionDeleted)
  collectionDeleted({ collection }: CollectionDeleted): void {
    this.makeGuests(this.clients.ofCollection(collection.id));
  }

  @OnEvent(SettingsChanged)
  settingsChanged({ after: { superuserIPs } }: SettingsChanged): void {
    if (superuserIPs.length === 0) return;
    const allowed = IpList.of(superuserIPs);
    this.makeGuests(this.clients.ofCollection(SUPERUSERS_ID).filter(({ ip }) => !allowed.has(ip)));
  }

  private makeGuests(clients: readonly RealtimeClient[]): void {
    for (const client of clients) this.clients.become(client, null);
  }
}
