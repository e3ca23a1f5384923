import { Injectable } from '@nestjs/common';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { AuthRecords } from '../records/auth-records.js';
import { inChunks } from '../sse/in-chunks.js';
import type { RealtimeClient } from './realtime-client.js';
import { RealtimeClients } from './realtime-clients.js';
import type { Subscribers } from './subscription-index.js';

/** Reads accounts again, so that clients act with their present values. */
@Injectable()
export class AccountRefresher {
  constructor(
    private readonly clients: RealtimeClients,
    private readonly authRecords: AuthRecords,
  ) {}

  /** The account with its present values; null when it is gone or its tokens were ended since it was read. */
  async of(auth: RecordModel | null): Promise<RecordModel | null> {
    return auth && this.authRecords.findCurrent(auth);
  }

  /** Reads the accounts of clients again. A client whose account was replaced meanwhile is skipped. */
  async refresh(clients: readonly RealtimeClient[]): Promise<void> {
    await inChunks(clients, async (chunk) => {
      for (const client of chunk) {
        const { auth } = client;
        const fresh = await this.of(auth);
        if (client.auth === auth) this.clients.become(client, fresh);
      }
    });
  }

  /** Refreshes the accounts among subscribers that were read with another version of their collection. */
  async keepCurrent(catalog: CatalogSnapshot, subscribers: readonly Subscribers[]): Promise<void> {
    const outdated = new Set<RealtimeClient>();
    for (const { clients } of subscribers) {
      for (const client of clients) {
        const collection = client.auth?.collection;
        if (collection && catalog.findById(collection.id) !== collection) outdated.add(client);
      }
    }
    if (outdated.size > 0) await this.refresh([...outdated]);
  }
}
