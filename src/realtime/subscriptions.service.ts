import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { AccountRefresher } from './account-refresher.js';
import { OtherInstances, type SubscriptionRequest } from './other-instances.js';
import { PendingDeleteEvents } from './pending-delete-events.js';
import { BeforeRealtimeSubscribe, type RealtimeSubscribeEvent } from './realtime.hooks.js';
import { identityOf, type RealtimeClient } from './realtime-client.js';
import { RealtimeClients } from './realtime-clients.js';
import { SubscriptionIndex } from './subscription-index.js';

/** What a client listens to, and as whom (chapter 04 C). */
@Injectable()
export class SubscriptionsService {
  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    private readonly clients: RealtimeClients,
    private readonly accounts: AccountRefresher,
    private readonly hooks: HookRegistry,
    private readonly index: SubscriptionIndex,
    private readonly deletes: PendingDeleteEvents,
    private readonly others: OtherInstances,
  ) {
    others.onSubscribe((wanted, caller) => this.replaceHere(wanted, caller));
  }

  /**
   * Replaces the whole set of a client's topics, and makes a guest the account of the token that came along. In force
   * when it resolves. Throws 400, 404 or 403 as RT-25 lists them; then nothing has changed (RT-27).
   */
  async replace(form: SubscriptionRequest, caller: Caller): Promise<void> {
    // The stream may be one of another process that serves the same application (RT-97).
    if (this.others.exist && !this.clients.find(form.clientId)) return this.others.subscribe(form, caller);
    return this.replaceHere(form, caller);
  }

  private async replaceHere({ clientId, topics: wanted }: SubscriptionRequest, caller: Caller): Promise<void> {
    const client = this.find(clientId, caller);
    const topics = await this.agreed(client, caller, wanted);
    // The token was valid when the request arrived; the account is checked again after reading the body and hooks.
    const auth = await this.accounts.of(caller.auth);
    this.requireSameAccount(this.find(client.id, caller), auth);
    this.index.requireRoom(client, topics);
    this.clients.become(client, auth);
    this.index.replace(client, topics);
    // Waits for deletes whose receivers are chosen already, so that the new topics cover everything after this answer
    // (RT-30).
    if (topics.size > 0) await this.deletes.settled();
  }

  private find(clientId: string, caller: Caller): RealtimeClient {
    const client = this.clients.find(clientId);
    if (!client) throw new NotFoundError('There is no such realtime client.');
    if (this.config.realtimeIpCheck && client.ip !== caller.ip) {
      throw new BadRequestError('The stream was opened from another address.');
    }
    return client;
  }

  private async agreed(
    client: RealtimeClient,
    caller: Caller,
    topics: ReadonlySet<string>,
  ): Promise<ReadonlySet<string>> {
    this.requireSameAccount(client, caller.auth);
    if (!this.hooks.has(BeforeRealtimeSubscribe)) return topics;
    const event: RealtimeSubscribeEvent = { client, caller, topics: [...topics] };
    await this.hooks.run(BeforeRealtimeSubscribe, event);
    return new Set(event.topics);
  }

  /** Only a guest may become an account; an account never becomes another one, nor a guest again (RT-33). */
  private requireSameAccount(client: RealtimeClient, auth: RecordModel | null): void {
    if (client.auth === null || (auth !== null && identityOf(auth) === client.identity)) return;
    throw new ForbiddenError('The stream belongs to another account.');
  }
}
