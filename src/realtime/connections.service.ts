import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { Caller } from '../kernel/records/caller.js';
import { DEFAULT_TERMS, SseHub } from '../sse/sse-hub.js';
import { AccountFreshness } from './account-freshness.js';
import { BeforeRealtimeConnect, type RealtimeConnectEvent } from './realtime.hooks.js';
import { RealtimeClients } from './realtime-clients.js';

/** Opens streams for whoever asks (chapter 04 A). */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly hub: SseHub,
    private readonly hooks: HookRegistry,
    private readonly clients: RealtimeClients,
    private readonly accounts: AccountFreshness,
  ) {}

  /** The stream starts as the account of the caller's token (RT-6). Throws 503 when there is no room. */
  async open(reply: FastifyReply, caller: Caller): Promise<void> {
    this.hub.requireRoom();
    const event: RealtimeConnectEvent = { caller, ...DEFAULT_TERMS };
    await this.hooks.run(BeforeRealtimeConnect, event);
    const auth = await this.accounts.of(caller.auth);
    this.clients.open(reply, { ip: caller.ip, auth, terms: event });
  }

  /** What GET would answer, without a stream (RT-11). */
  describe(reply: FastifyReply): void {
    this.hub.answerHead(reply);
  }
}
