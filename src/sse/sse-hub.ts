import type { OutgoingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig, MONOTONIC_CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import { ServiceUnavailableError } from '../kernel/errors/service-unavailable.error.js';
import { randomText } from '../kernel/ids.js';
import { inChunks } from './in-chunks.js';
import { SseClient, type StreamEnd, type StreamOwner, type StreamOptions } from './sse-client.js';
import { connectMessages } from './sse-message.js';

const CLIENT_ID_LENGTH = 40;

/** How often streams are looked at: no stream ends or shows a sign of life later than this after it is due. */
const TICK = 1_000;

/** How long all streams together may write what waits for them when the server stops (RT-21). */
const CLOSE_TIME = 1_000;

/** Seconds after which a client that found the server full may try again. */
const RETRY_AFTER = 5;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

/** The options of a stream that nobody changed. */
export const DEFAULT_STREAM_OPTIONS: StreamOptions = { idleTimeout: 5 * 60_000, maxAge: 30 * 60_000 };

/** All open streams. One timer serves them all: ten thousand clients that only wait cost next to nothing. */
@Injectable()
export class SseHub implements StreamOwner, BeforeApplicationShutdown {
  private readonly logger = new Logger('Realtime');
  private readonly clients = new Map<string, SseClient>();
  /** Ended, but not yet written to the end. */
  private readonly leaving = new Set<SseClient>();
  private readonly endListeners: ((client: SseClient) => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private ticking = false;
  private accepting = true;

  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(MONOTONIC_CLOCK) readonly clock: Clock,
  ) {}

  /** How many streams are open. */
  get size(): number {
    return this.clients.size;
  }

  find(id: string): SseClient | undefined {
    return this.clients.get(id);
  }

  /** Calls the listener whenever a stream has ended, by whatever cause. */
  onStreamEnd(listener: (client: SseClient) => void): void {
    this.endListeners.push(listener);
  }

  /**
   * Throws 503 when the server is stopping or has as many streams as it may (RT-12, RT-21), those of other processes
   * among them.
   */
  requireRoom(elsewhere = 0): void {
    const { realtimeMaxClients } = this.config;
    if (!this.accepting || (realtimeMaxClients > 0 && this.size + elsewhere >= realtimeMaxClients)) {
      throw new ServiceUnavailableError('No further stream can be opened at the moment.', RETRY_AFTER);
    }
  }

  /**
   * Turns a reply into a stream and registers its client before the first byte is written (RT-4). The reply is taken
   * from Fastify: nothing of it may be touched afterwards. Throws 503 when there is no room.
   */
  open(reply: FastifyReply, ip: string, options: StreamOptions = DEFAULT_STREAM_OPTIONS): SseClient {
    this.requireRoom();
    const raw = reply.hijack().raw;
    const client = new SseClient(randomText(CLIENT_ID_LENGTH), ip, raw, options, this);
    this.clients.set(client.id, client);
    raw.socket?.setTimeout(0);
    this.startTicking();
    raw.writeHead(200, streamHeaders(reply));
    raw.write(connectMessages(client.id));
    if (raw.destroyed) client.destroy('gone');
    return client;
  }

  /** Answers with the headers of a stream and opens none (RT-11). */
  answerHead(reply: FastifyReply): void {
    reply.hijack().raw.writeHead(200, streamHeaders(reply)).end();
  }

  /** Ends all streams. Their clients connect again and look for themselves what they have missed. */
  endAll(): void {
    for (const client of this.clients.values()) client.end();
  }

  /** Ends all streams, within a second even when peers do not read, and refuses new ones until `reopen`. */
  async close(): Promise<void> {
    this.accepting = false;
    this.endAll();
    for (const until = performance.now() + CLOSE_TIME; this.leaving.size > 0 && performance.now() < until;)
      await sleep(5);
    for (const client of this.leaving) client.destroy();
  }

  /** Accepts streams again, after a restore. */
  reopen(): void {
    this.accepting = true;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.close();
  }

  onEnd(client: SseClient, reason: StreamEnd): void {
    this.clients.delete(client.id);
    this.leaving.add(client);
    if (reason === 'slow') this.logger.debug(`The stream of ${client.ip} was ended: slow consumer.`);
    for (const listener of this.endListeners) listener(client);
  }

  onClosed(client: SseClient): void {
    this.leaving.delete(client);
    if (this.size === 0 && this.leaving.size === 0) this.stopTicking();
  }

  private startTicking(): void {
    this.timer ??= setInterval(() => void this.tick(), TICK).unref();
  }

  private stopTicking(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async tick(): Promise<void> {
    if (this.ticking) return;
    this.ticking = true;
    const keepAlive = this.config.realtimeKeepalive * 1000;
    await inChunks([...this.clients.values(), ...this.leaving], (chunk) => {
      for (const client of chunk) client.tick(keepAlive);
    });
    this.ticking = false;
  }
}

/** With those of every reply, which Fastify would add: CORS, security, request id. */
function streamHeaders(reply: FastifyReply): OutgoingHttpHeaders {
  return { ...(reply.getHeaders() as OutgoingHttpHeaders), ...STREAM_HEADERS };
}
