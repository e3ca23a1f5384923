import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import { TooManyRequestsError } from '../kernel/errors/too-many-requests.error.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { SettingsService } from '../settings/settings.service.js';
import { DEFAULT_STREAM_OPTIONS, SseHub } from '../sse/sse-hub.js';
import { AccountRefresher } from './account-refresher.js';
import { BeforeRealtimeConnect, type RealtimeConnectEvent } from './realtime.hooks.js';
import { OtherInstances, type StreamCounts } from './other-instances.js';
import { RealtimeClients } from './realtime-clients.js';

/** Seconds after which a client with too many streams may try again. */
const RETRY_AFTER = 5;

const NO_STREAMS: StreamCounts = { all: 0, ofIp: 0, ofAccount: 0 };

/** Opens streams for whoever asks (chapter 04 A). */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly hub: SseHub,
    private readonly hooks: HookRegistry,
    private readonly clients: RealtimeClients,
    private readonly accounts: AccountRefresher,
    private readonly settings: SettingsService,
    private readonly others: OtherInstances,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {}

  /**
   * The stream starts as the account of the caller's token (RT-6). Throws 503 when there is no room, and 429 when the
   * address or the account has as many streams as it may.
   */
  async open(reply: FastifyReply, caller: Caller): Promise<void> {
    this.hub.requireRoom();
    const event: RealtimeConnectEvent = { caller, ...DEFAULT_STREAM_OPTIONS };
    await this.hooks.run(BeforeRealtimeConnect, event);
    const auth = await this.accounts.of(caller.auth);
    await this.others.opens(async () => {
      await this.requireFewer(caller.ip, auth);
      this.clients.open(reply, { ip: caller.ip, auth, streamOptions: event });
    });
  }

  /** What GET would answer, without a stream (RT-11). */
  describe(reply: FastifyReply): void {
    this.hub.answerHead(reply);
  }

  private async requireFewer(ip: string, auth: RecordModel | null): Promise<void> {
    const { maxStreamsPerIP, maxStreamsPerAccount } = this.settings.get().realtime;
    const isLimited = maxStreamsPerIP > 0 || maxStreamsPerAccount > 0 || this.config.realtimeMaxClients > 0;
    const elsewhere = isLimited && this.others.exist ? await this.others.streams(ip, auth) : NO_STREAMS;
    this.hub.requireRoom(elsewhere.all);
    const ofIp = this.clients.countOfIp(ip) + elsewhere.ofIp;
    const ofAccount = auth ? this.clients.ofAccount(auth).length + elsewhere.ofAccount : 0;
    const isFull =
      (maxStreamsPerIP > 0 && ofIp >= maxStreamsPerIP) ||
      (maxStreamsPerAccount > 0 && auth !== null && ofAccount >= maxStreamsPerAccount);
    if (isFull) throw new TooManyRequestsError(RETRY_AFTER, 'There are too many open streams of yours already.');
  }
}
