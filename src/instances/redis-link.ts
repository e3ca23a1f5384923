import { Logger } from '@nestjs/common';
import type { RedisClientType } from '@redis/client';
import type { BusListener, InstanceBus } from './instance-bus.js';
import { inTime } from './in-time.js';
import { Reconnection } from './reconnection.js';
import { RedisError, redisErrorOf } from './redis.error.js';

/** Milliseconds in which every command must be answered; otherwise the connection counts as broken. */
const ANSWER_TIME = 1_000;
const CONNECT_TIME = 2_000;
/** How often a connection on which nothing else happens is tried. */
const HEARTBEAT = 1_000;

type Client = RedisClientType<Record<string, never>, Record<string, never>, Record<string, never>, 3>;

/** A Lua script, and the hash under which Redis remembers it. */
export interface RedisScript {
  readonly text: string;
  readonly sha1: string;
}

/**
 * The connection to Redis: commands, and channels between instances. When the server is gone or does not answer in
 * time, it is tried again until it is back; meanwhile commands fail at once, and messages are lost.
 */
export class RedisLink implements InstanceBus {
  private readonly logger = new Logger('Redis');
  private readonly listeners = new Map<string, BusListener>();
  private readonly reconnection = new Reconnection();
  private client: Client | undefined;
  private opened: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly url: string,
    /** What the names of all keys and channels begin with. */
    readonly prefix: string,
  ) {}

  /**
   * Connects, and finds out whether everything is allowed that will be needed. Rejects with a RedisError that says in
   * one line what is wrong. Later calls wait for the first one.
   */
  open(): Promise<void> {
    return (this.opened ??= this.begin());
  }

  /** Whether commands are answered at the moment. */
  get isUp(): boolean {
    return this.client !== undefined;
  }

  /** Calls back when the connection is lost. */
  onLost(listener: () => void): void {
    this.reconnection.onLost(listener);
  }

  /** Calls back when there is a connection again and it listens to the channels again. */
  onBack(listener: () => void): void {
    this.reconnection.onBack(listener);
  }

  /** Runs a command. Rejects while there is no connection, and when it is not answered in time. */
  async run<Reply>(...command: readonly string[]): Promise<Reply> {
    const { client } = this;
    if (!client) throw new RedisError('Redis cannot be reached.');
    return this.inTime(client, client.sendCommand([...command]) as Promise<unknown>) as Promise<Reply>;
  }

  /** Runs a script, which is one step: nothing else happens in between. */
  async runScript<Reply>({ sha1, text }: RedisScript, key: string, ...args: readonly string[]): Promise<Reply> {
    try {
      return await this.run<Reply>('EVALSHA', sha1, '1', key, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return this.run<Reply>('EVAL', text, '1', key, ...args);
    }
  }

  /** Tells everybody who listens to a channel, this process too. */
  async publish(channel: string, message: string): Promise<void> {
    await this.run('PUBLISH', this.nameOf(channel), message);
  }

  /** Listens to a channel from now on, and again whenever the connection is back. One listener for each channel. */
  async subscribe(channel: string, listener: BusListener): Promise<void> {
    this.listeners.set(channel, listener);
    const { client } = this;
    if (client) await this.inTime(client, client.subscribe(this.nameOf(channel), listener));
  }

  /** The full name of a key or channel. */
  nameOf(name: string): string {
    return `${this.prefix}:${name}`;
  }

  close(): void {
    this.reconnection.close();
    clearInterval(this.heartbeat);
    const { client } = this;
    this.client = undefined;
    client?.destroy();
  }

  private async begin(): Promise<void> {
    const place = placeOf(this.url);
    try {
      this.client = await this.connect();
      await this.check();
    } catch (error) {
      this.close();
      throw redisErrorOf(error, place);
    }
    this.heartbeat = setInterval(() => void this.run('PING').catch(() => undefined), HEARTBEAT).unref();
  }

  /** Tries what will be needed later, so that a missing permission is known at the start. */
  private async check(): Promise<void> {
    const key = this.nameOf(`check:${process.pid}`);
    await this.run('SET', key, '1', 'PX', '1000');
    await this.run('EVAL', "return redis.call('PTTL', KEYS[1])", '1', key);
    await this.run('GETDEL', key);
    await this.run('UNLINK', key);
    await this.run('SCAN', '0', 'MATCH', key, 'COUNT', '1');
    await this.publish('check', '');
    const { client } = this;
    if (!client) throw new RedisError('the connection has ended');
    await this.inTime(
      client,
      client.subscribe(this.nameOf('check'), () => undefined),
    );
    await this.inTime(client, client.unsubscribe(this.nameOf('check')));
  }

  /**
   * Loads the library when it is needed. Its own reconnection is off, because this class decides whether a connection
   * is broken.
   */
  private async connect(): Promise<Client> {
    const { createClient } = await import('@redis/client');
    const client = createClient({
      url: this.url,
      RESP: 3,
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      socket: { connectTimeout: CONNECT_TIME, reconnectStrategy: false },
    }) as unknown as Client;
    client.on('error', (error: Error) => this.lose(client, error));
    const late = setTimeout(() => client.destroy(), CONNECT_TIME);
    try {
      await client.connect();
      for (const [channel, listener] of this.listeners) await client.subscribe(this.nameOf(channel), listener);
      return client;
    } catch (error) {
      client.destroy();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  private lose(client: Client, error: Error): void {
    if (this.client !== client) return;
    this.client = undefined;
    client.destroy();
    // During the start `open` reports errors.
    if (!this.heartbeat) return;
    this.logger.warn(`The connection to Redis at ${placeOf(this.url)} is lost: ${error.message}`);
    void this.reconnection.lost(
      () => this.connect(),
      (another) => {
        this.client = another;
        this.logger.log(`The connection to Redis at ${placeOf(this.url)} is back.`);
      },
      (late) => late.destroy(),
    );
  }

  /** Drops the connection when the answer does not come. */
  private inTime<T>(client: Client, answer: Promise<T>): Promise<T> {
    return inTime(answer, ANSWER_TIME, () => this.lose(client, new Error('it does not answer')));
  }
}

/** Where Redis is, without the password. */
function placeOf(url: string): string {
  return new URL(url).host;
}
