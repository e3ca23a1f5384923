import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { EVENT_BUS, type EventBus } from '../events/event-bus.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { StreamOptions } from '../sse/sse-client.js';
import { SseHub } from '../sse/sse-hub.js';
import { toMessage } from './custom-message.js';
import { identityOf, RealtimeClient, type SendToClient } from './realtime-client.js';
import { AfterRealtimeDisconnect } from './realtime.hooks.js';
import { SubscriptionIndex } from './subscription-index.js';

/** Everybody who is connected, by client id and by account. */
@Injectable()
export class RealtimeClients {
  private readonly byId = new Map<string, RealtimeClient>();
  private readonly byIdentity = new Map<string, Set<RealtimeClient>>();
  private readonly streamsByIp = new Map<string, number>();
  private readonly sendTo: SendToClient;

  constructor(
    private readonly hub: SseHub,
    private readonly index: SubscriptionIndex,
    private readonly hooks: HookRegistry,
    @Inject(EVENT_BUS) events: EventBus,
  ) {
    this.sendTo = ({ id }, topic, data) => events.publish(toMessage(topic, data, id));
    hub.onStreamEnd(({ id }) => this.forget(id));
  }

  /** Opens a stream for somebody. Throws 503 when there is no room. */
  open(
    reply: FastifyReply,
    options: { ip: string; auth: RecordModel | null; streamOptions: StreamOptions },
  ): RealtimeClient {
    const stream = this.hub.open(reply, options.ip, options.streamOptions);
    const client = new RealtimeClient(stream, this.sendTo);
    if (!stream.isOpen) return client;
    this.byId.set(client.id, client);
    this.streamsByIp.set(client.ip, this.countOfIp(client.ip) + 1);
    this.become(client, options.auth);
    return client;
  }

  find(id: string): RealtimeClient | undefined {
    return this.byId.get(id);
  }

  all(): RealtimeClient[] {
    return [...this.byId.values()];
  }

  /** The clients of an account. */
  ofAccount(auth: RecordModel): RealtimeClient[] {
    return [...(this.byIdentity.get(identityOf(auth)) ?? [])];
  }

  get size(): number {
    return this.byId.size;
  }

  /** How many streams an account has; see `identityOf`. */
  countOfIdentity(identity: string): number {
    return this.byIdentity.get(identity)?.size ?? 0;
  }

  /** How many streams are open from an address. */
  countOfIp(ip: string): number {
    return this.streamsByIp.get(ip) ?? 0;
  }

  /** The clients of all accounts of a collection. */
  ofCollection(collectionId: string): RealtimeClient[] {
    return this.all().filter(({ auth }) => auth?.collection.id === collectionId);
  }

  /** Sets the account that a client's messages are checked for. */
  become(client: RealtimeClient, auth: RecordModel | null): void {
    this.leaveAccount(client);
    client.become(auth);
    if (client.identity === '') return;
    const others = this.byIdentity.get(client.identity);
    if (others) others.add(client);
    else this.byIdentity.set(client.identity, new Set([client]));
  }

  private forget(id: string): void {
    const client = this.byId.get(id);
    if (!client) return;
    this.byId.delete(id);
    const others = this.countOfIp(client.ip) - 1;
    if (others > 0) this.streamsByIp.set(client.ip, others);
    else this.streamsByIp.delete(client.ip);
    this.leaveAccount(client);
    this.index.drop(client);
    if (this.hooks.isHandled(AfterRealtimeDisconnect)) void this.hooks.runAfter(AfterRealtimeDisconnect, { client });
  }

  private leaveAccount(client: RealtimeClient): void {
    const others = this.byIdentity.get(client.identity);
    others?.delete(client);
    if (others?.size === 0) this.byIdentity.delete(client.identity);
  }
}
