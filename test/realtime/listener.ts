import { onTestFinished } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { SseReader, type SseTarget } from '../support/sse-reader.js';

/** What a record's message holds. */
export interface RecordMessage {
  readonly topic: string;
  readonly action: string;
  // Tests look into records of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly record: any;
}

/** A client that reads its stream from a bare socket and subscribes over HTTP. It is closed when the test is over. */
export class Listener {
  private constructor(
    private readonly roost: TestRoost,
    readonly reader: SseReader,
  ) {}

  static async connect(roost: TestRoost, target: Partial<SseTarget> & { readonly token?: string } = {}) {
    const port = Number(new URL(await roost.listen()).port);
    const { token, headers, ...rest } = target;
    const all = { ...(token ? { Authorization: token } : {}), ...headers };
    const listener = new Listener(roost, await SseReader.connect({ port, headers: all, ...rest }));
    onTestFinished(() => listener.close());
    return listener;
  }

  /** Connects and subscribes; fails the test when that is refused. */
  static async to(roost: TestRoost, topics: readonly string[], token?: string): Promise<Listener> {
    const listener = await Listener.connect(roost);
    const answer = await listener.subscribe(topics, token);
    if (answer.status !== 204) throw new Error(`The subscriptions were refused: ${answer.status} ${answer.text}`);
    return listener;
  }

  get id(): string {
    return this.reader.clientId;
  }

  subscribe(topics: readonly string[], token?: string, more: { remoteAddress?: string } = {}): Promise<TestResponse> {
    return this.roost.inject({
      method: 'POST',
      url: '/api/realtime',
      body: { clientId: this.id, subscriptions: topics },
      token,
      ...more,
    });
  }

  /** The messages so far. */
  get messages(): RecordMessage[] {
    return this.reader.events.map(({ event, data }) => ({ topic: event, ...parse(data) }));
  }

  /** Waits until there are this many messages; all of them. */
  async receive(count: number): Promise<RecordMessage[]> {
    await this.reader.receive(count);
    return this.messages;
  }

  /**
   * The messages up to a marker that is sent now, the marker left out: everything that was caused before has arrived
   * by then, so what is not there was not sent.
   */
  async settle(): Promise<RecordMessage[]> {
    const { RealtimeService } = await import('../../src/realtime/realtime.service.js');
    const { DeliveryQueue } = await import('../../src/realtime/delivery-queue.js');
    // Whatever is being delivered may wait for the database.
    await new Promise<void>((resolve) => this.roost.app.get(DeliveryQueue, { strict: false }).add(resolve));
    const marker = `marker-${this.reader.events.length}-${Math.random()}`;
    const client = this.roost.app.get(RealtimeService, { strict: false }).clients.find(({ id }) => id === this.id)!;
    client.send(marker, '{}');
    await this.reader.until(() => this.reader.events.some(({ event }) => event === marker));
    return this.messages.filter(({ topic }) => !topic.startsWith('marker-'));
  }

  close(): void {
    this.reader.close();
  }
}

/** Messages of the application need not be JSON. */
function parse(data: string): Omit<RecordMessage, 'topic'> {
  try {
    return JSON.parse(data) as RecordMessage;
  } catch {
    return { action: '', record: undefined };
  }
}
