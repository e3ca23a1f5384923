import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { StartError } from '../../config/start.error.js';
import type { BusListener, InstanceBus } from '../../instances/instance-bus.js';
import { inTime } from '../../instances/in-time.js';
import { Reconnection } from '../../instances/reconnection.js';
import { newClient } from './several-servers.js';
import { translatePostgresError } from './postgres-errors.js';
import { quoteName } from './postgres-spelling.js';

const CONNECT_MILLISECONDS = 5_000;
/** Milliseconds in which a statement must be answered; otherwise the connection counts as broken. */
const ANSWER_TIME = 2_000;
const HEARTBEAT = 2_000;
/** Bytes of one notification, whose limit is 8,000 with its end; what is longer goes in parts. */
const PART = 7_000;

/**
 * The schema is part of the channel, so that applications with a schema each in one database do not hear each other.
 */
const CHANNEL = `SELECT 'roost_' || md5(current_schema()) AS name`;
const NOTIFY =
  'SELECT pg_notify($1, part) FROM unnest($2::text[]) WITH ORDINALITY AS parts(part, place) ORDER BY place';

/**
 * Messages between instances by LISTEN and NOTIFY, on one connection for both. It belongs to a session: where there is
 * a pooler in between, it has to be one that keeps sessions.
 */
export class NotifyBus implements InstanceBus {
  private readonly logger = new Logger('Instances');
  private readonly listeners = new Map<string, BusListener>();
  private readonly reconnection = new Reconnection();
  /** The beginnings of messages whose end has not come yet, by sender. */
  private readonly begun = new Map<string, string>();
  private client: Client | undefined;
  private channel = '';
  private lastPart = 0;
  private opened: Promise<void> | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  /** Messages that wait for the notification of this moment to leave. */
  private outgoing: { readonly parts: string[]; readonly sent: Promise<void> } | undefined;

  constructor(
    private readonly url: string,
    /** Tells the messages of this instance from those of others. */
    private readonly sender: string,
  ) {}

  open(): Promise<void> {
    return (this.opened ??= this.begin());
  }

  get isUp(): boolean {
    return this.client !== undefined;
  }

  onLost(listener: () => void): void {
    this.reconnection.onLost(listener);
  }

  onBack(listener: () => void): void {
    this.reconnection.onBack(listener);
  }

  async subscribe(channel: string, listener: BusListener): Promise<void> {
    this.listeners.set(channel, listener);
  }

  /** Messages of one turn leave together: each notification makes all commits of the database wait for each other. */
  publish(channel: string, message: string): Promise<void> {
    const { client } = this;
    if (!client) return Promise.reject(new Error('The database cannot be reached.'));
    if (!this.outgoing) {
      const parts: string[] = [];
      const sent = Promise.resolve().then(() => {
        this.outgoing = undefined;
        return this.inTime(client, client.query(NOTIFY, [this.channel, parts]));
      });
      this.outgoing = { parts, sent: sent.then(() => undefined) };
    }
    for (const { text, isLast } of partsOf(JSON.stringify([channel, message]))) {
      // The number makes each payload unique, because PostgreSQL drops duplicates of a notification.
      this.outgoing.parts.push(`${this.sender} ${this.lastPart++} ${isLast ? '.' : '+'} ${text}`);
    }
    return this.outgoing.sent;
  }

  async close(): Promise<void> {
    this.reconnection.close();
    clearInterval(this.heartbeat);
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private async begin(): Promise<void> {
    try {
      this.client = await this.connect();
    } catch (error) {
      const { message } = translatePostgresError(error) as Error;
      throw new StartError(`The database cannot carry messages between instances: ${message}`, { cause: error });
    }
    this.heartbeat = setInterval(() => {
      const { client } = this;
      if (client) this.inTime(client, client.query('SELECT 1')).catch(() => undefined);
    }, HEARTBEAT).unref();
  }

  private async connect(): Promise<Client> {
    const { default: pg } = await import('pg');
    const client = newClient(pg, this.url, { connectionTimeoutMillis: CONNECT_MILLISECONDS });
    client.on('error', (error: Error) => this.lose(client, error));
    client.on('end', () => this.lose(client, new Error('the connection has ended')));
    client.on('notification', ({ payload = '' }) => this.receive(payload));
    try {
      await client.connect();
      const { rows } = await client.query<{ name: string }>(CHANNEL);
      this.channel = rows[0]!.name;
      await client.query(`LISTEN ${quoteName(this.channel)}`);
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  private receive(part: string): void {
    const { sender, text, isLast } = readPart(part);
    const whole = (this.begun.get(sender) ?? '') + text;
    if (!isLast) return void this.begun.set(sender, whole);
    this.begun.delete(sender);
    const [channel, message] = JSON.parse(whole) as [string, string];
    this.listeners.get(channel)?.(message);
  }

  private lose(client: Client, error: Error): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.begun.clear();
    void client.end().catch(() => undefined);
    this.logger.warn(`Messages of other instances are not heard: ${error.message}`);
    void this.reconnection.lost(
      () => this.connect(),
      (another) => {
        this.client = another;
        this.logger.log('Messages of other instances are heard again.');
      },
      (late) => void late.end().catch(() => undefined),
    );
  }

  private async inTime(client: Client, answer: Promise<unknown>): Promise<void> {
    const giveUp = (): void => {
      // Whatever waits for an answer is rejected when the connection ends.
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
      this.lose(client, new Error('the database does not answer'));
    };
    try {
      await inTime(answer, ANSWER_TIME, giveUp);
    } catch (error) {
      throw translatePostgresError(error);
    }
  }
}

interface Part {
  readonly text: string;
  readonly isLast: boolean;
}

function* partsOf(text: string): Generator<Part> {
  let rest = Buffer.from(text);
  while (rest.length > PART) {
    let end = PART;
    // Moves back to the beginning of a UTF-8 character.
    while ((rest[end]! & 0xc0) === 0x80) end--;
    yield { text: rest.subarray(0, end).toString(), isLast: false };
    rest = rest.subarray(end);
  }
  yield { text: rest.toString(), isLast: true };
}

/** What comes from one sender comes in its order. */
function readPart(payload: string): Part & { readonly sender: string } {
  const [, sender, mark, text] = /^(\S+) \d+ ([+.]) (.*)$/s.exec(payload)!;
  return { sender: sender!, text: text!, isLast: mark === '.' };
}
