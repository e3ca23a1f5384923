import type { ServerResponse } from 'node:http';
import type { Clock } from '../kernel/clock.js';
import { KEEP_ALIVE } from './sse-message.js';

/** What may wait for a client above its socket's own buffer (RT-84). */
const MAX_WAITING_MESSAGES = 1000;
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** How long an ended stream may take to write what was waiting for it. */
const FLUSH_TIME = 10_000;

/** When a stream ends by itself, in milliseconds. */
export interface StreamOptions {
  /** After the last message (RT-15). */
  readonly idleTimeout: number;
  /** After opening, however busy it is (RT-16). */
  readonly maxAge: number;
}

/** Why a stream is over: ended by the server, cut because its reader was too slow, or left by its peer. */
export type StreamEnd = 'ended' | 'slow' | 'gone';

/** The hub of a stream: gives it the clock and is told when it ends. */
export interface StreamOwner {
  readonly clock: Clock;
  /** The client takes no messages any more; exactly once. */
  onEnd(client: SseClient, reason: StreamEnd): void;
  /** Its connection is free or broken; exactly once, after `onEnd`. */
  onClosed(client: SseClient): void;
}

/** One open stream: a client id, the topics it listens to, and messages written no faster than the peer reads. */
export class SseClient {
  /** The topics exactly as they were sent (RT-42). Who changes them replaces the set. */
  topics: ReadonlySet<string> = new Set();

  private readonly bornAt: number;
  private messageAt: number;
  private outputAt: number;
  private waiting: Buffer[] | undefined;
  private waitingBytes = 0;
  private blocked = false;
  private endedAt: number | undefined;
  private closed = false;

  constructor(
    readonly id: string,
    /** The real IP the stream was opened from (RT-8). */
    readonly ip: string,
    private readonly raw: ServerResponse,
    private readonly options: StreamOptions,
    private readonly owner: StreamOwner,
  ) {
    this.bornAt = this.messageAt = this.outputAt = owner.clock.now();
    raw.on('error', ignore).once('close', () => this.onRawClosed());
  }

  /** False from the moment the stream is to end, by whatever cause. */
  get isOpen(): boolean {
    return this.endedAt === undefined;
  }

  /** Writes a message after those before it, or ends the stream when too much waits already. */
  send(message: Buffer): void {
    if (!this.isOpen) return;
    this.messageAt = this.owner.clock.now();
    this.write(message, this.messageAt);
  }

  /** Takes one topic away; the others stay. */
  unsubscribe(topic: string): void {
    const topics = new Set(this.topics);
    if (topics.delete(topic)) this.topics = topics;
  }

  /** What is due at this moment: the end of the stream, a sign of life, or nothing. `keepAlive` is 0 when it is off. */
  tick(keepAlive: number): void {
    const now = this.owner.clock.now();
    if (this.endedAt !== undefined) {
      if (now - this.endedAt >= FLUSH_TIME) this.destroy();
    } else if (now - this.messageAt >= this.options.idleTimeout || now - this.bornAt >= this.options.maxAge) {
      this.end();
    } else if (keepAlive > 0 && now - this.outputAt >= keepAlive && !this.blocked) {
      this.write(KEEP_ALIVE, now);
    }
  }

  /** Ends the stream cleanly after what is waiting was written. */
  end(): void {
    if (!this.leave('ended')) return;
    if (!this.blocked) this.raw.end();
  }

  /** Closes the connection and drops what was waiting. */
  destroy(reason: StreamEnd = 'ended'): void {
    this.leave(reason);
    this.waiting = undefined;
    this.raw.destroy();
    // A connection that was closed before the stream was opened emits no `close` any more.
    if (this.raw.closed) this.onRawClosed();
  }

  private write(message: Buffer, now: number): void {
    if (this.blocked) return this.wait(message);
    this.outputAt = now;
    if (!this.raw.write(message)) this.block();
  }

  private wait(message: Buffer): void {
    const waiting = (this.waiting ??= []);
    if (waiting.length >= MAX_WAITING_MESSAGES || this.waitingBytes + message.length > MAX_WAITING_BYTES) {
      return this.destroy('slow');
    }
    waiting.push(message);
    this.waitingBytes += message.length;
  }

  private block(): void {
    this.blocked = true;
    this.raw.once('drain', () => this.flush());
  }

  private flush(): void {
    if (this.closed) return;
    this.blocked = false;
    const waiting = this.waiting ?? [];
    let written = 0;
    while (written < waiting.length && !this.blocked) {
      const message = waiting[written++];
      this.waitingBytes -= message.length;
      if (!this.raw.write(message)) this.block();
    }
    this.waiting = written < waiting.length ? waiting.slice(written) : undefined;
    if (!this.isOpen && !this.blocked) this.raw.end();
  }

  private onRawClosed(): void {
    if (this.closed) return;
    this.closed = true;
    this.waiting = undefined;
    this.leave('gone');
    this.owner.onClosed(this);
  }

  private leave(reason: StreamEnd): boolean {
    if (this.endedAt !== undefined) return false;
    this.endedAt = this.owner.clock.now();
    this.owner.onEnd(this, reason);
    return true;
  }
}

/** Ignores the error of a write to a closed connection; `close` follows. */
function ignore(): void {}
