import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { SERVED_BY } from '../support/round-robin.js';
import { SseReader } from '../support/sse-reader.js';
import { DeliveryLog, type Fault, type HeardBy } from './delivery-log.js';

/** Milliseconds for which a client waits after a failure; less than it is told to, so that tests are quick. */
const PAUSE = 50;
/** A request that takes longer is given up, in milliseconds. */
const PATIENCE = 30_000;
const LISTED = 500;

/** An answer that is none of those a client wants. */
export interface Failure {
  readonly client: string;
  readonly method: string;
  readonly path: string;
  /** 0 where there was no answer at all. */
  readonly status: number;
  /** The instance that was asked last; first where a delete found nothing. */
  readonly servedBy: string;
  readonly retryAfter: string | undefined;
  readonly sent: number;
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly servedBy: string;
  readonly sent: number;
}

/** A subscribed stream, for as long as it is open. */
interface OpenStream {
  readonly reader: SseReader;
  readonly heard: HeardBy;
  readonly servedBy: string;
}

/**
 * Whether a subscription was sent again because instances did not answer each other in two seconds (RT-97), or Redis
 * did not in one: on a machine that does much else they may not.
 */
export function isOfSlowMachine({ path, status }: Failure): boolean {
  return path === '/api/realtime' && (status === 404 || status === 503);
}

/** What clients do to a cluster. */
export interface LoadOptions {
  /** How many write, one request after the other each. */
  readonly writers: number;
  /** How many read. */
  readonly readers: number;
  /** How many listen. */
  readonly streams: number;
  /** Milliseconds between two requests of one client. */
  readonly pause?: number;
}

/** Those who look at each write and each event while they happen. */
export interface LoadObserver {
  asked?(milliseconds: number, isFine: boolean): void;
  acknowledged?(record: string, sequence: number, servedBy: string): void;
  heard?(record: string, sequence: number, servedBy: string): void;
}

/**
 * Clients of a cluster: some count up records that they share, some make records, change them and delete them, some
 * read, and some listen and come back when their stream ends. What they are told and hear is in the log (SCALE-27).
 */
export class ClusterLoad {
  readonly log = new DeliveryLog();
  readonly failures: Failure[] = [];
  private readonly pool: Pool;
  private readonly counters: string[] = [];
  /** The last write of records that were to be deleted. */
  private readonly deleted = new Map<string, number>();
  private readonly open = new Map<string, OpenStream>();
  private readonly asking: Promise<void>[] = [];
  private readonly listening: Promise<void>[] = [];
  private isOver = false;
  private isListening = true;

  constructor(
    private readonly origin: string,
    private readonly token: string,
    private readonly options: LoadOptions,
    private readonly observer: LoadObserver = {},
  ) {
    this.pool = new Pool(origin, { headersTimeout: PATIENCE, bodyTimeout: PATIENCE });
  }

  /** Resolves when every stream is subscribed; the others have begun then. */
  async begin(): Promise<void> {
    const { writers, readers, streams } = this.options;
    for (let index = 0; index < Math.max(1, writers / 4); index++) {
      const id = newId();
      const { sent } = await this.ask('setup', 'POST', '', { id, count: 0 });
      this.log.acknowledge(id, 0, sent);
      this.counters.push(id);
    }
    for (let index = 0; index < streams; index++) this.listening.push(this.listen(`stream ${index}`, index % 2 === 1));
    await this.subscribed();
    for (let index = 0; index < writers; index++) {
      this.asking.push(index % 2 === 0 ? this.countUp(`counting ${index}`, index) : this.liveAndDie(`living ${index}`));
    }
    for (let index = 0; index < readers; index++) this.asking.push(this.read(`reading ${index}`));
  }

  /** Resolves when so many more writes were acknowledged. */
  async acknowledged(count: number): Promise<void> {
    const goal = this.log.acknowledged + count;
    await until(() => this.log.acknowledged >= goal, `${count} more writes`);
  }

  /** Resolves when every stream is open and subscribed. */
  async subscribed(): Promise<void> {
    await until(() => this.open.size === this.options.streams, 'all streams');
  }

  /** The open connections, and the instance that each of them leads to. */
  connections(): readonly { readonly name: string; readonly servedBy: string }[] {
    return [...this.open.values()].map(({ heard, servedBy }) => ({ name: heard.name, servedBy }));
  }

  /** Ends what the clients do, waits until all events have come that are to come, and tells what is wrong. */
  async verdict(): Promise<readonly Fault[]> {
    this.isOver = true;
    await Promise.all(this.asking);
    await this.settled();
    // What comes twice may come late: it has come before what happens after it.
    for (const id of this.counters) await this.increment('the end', id);
    return this.settled();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    this.isListening = false;
    for (const { reader } of this.open.values()) reader.close();
    await Promise.all([...this.asking, ...this.listening]);
    await this.pool.close();
  }

  private async settled(): Promise<readonly Fault[]> {
    const stored = await this.stored();
    let faults: readonly Fault[] = [];
    await until(() => (faults = this.log.faults(stored)).length === 0, '', 20_000).catch(() => undefined);
    return faults;
  }

  /** The last write of every record. */
  private async stored(): Promise<Map<string, number>> {
    const stored = new Map(this.deleted);
    for (let after = ''; ;) {
      const query = new URLSearchParams({ sort: 'id', perPage: `${LISTED}`, skipTotal: '1', filter: `id>'${after}'` });
      const { status, body } = await this.ask('the end', 'GET', `?${query}`);
      if (status !== 200) throw new Error(`The records cannot be listed: ${status}.`);
      const items = body['items'] as readonly { id: string; count: number }[];
      for (const { id, count } of items) stored.set(id, count);
      if (items.length < LISTED) return stored;
      after = items.at(-1)!.id;
    }
  }

  private async countUp(client: string, index: number): Promise<void> {
    while (!this.isOver) {
      await this.increment(client, this.counters[index % this.counters.length]!);
      await this.rest();
    }
  }

  private async increment(client: string, id: string): Promise<void> {
    await this.write(client, id, 'PATCH', { 'count+': 1 }, ({ body }) => body['count'] as number);
  }

  /** A record of its own from the first to the last; one of which it does not know how it is, is left alone. */
  private async liveAndDie(client: string): Promise<void> {
    while (!this.isOver) {
      const id = newId();
      let isKnown = await this.write(client, id, 'POST', { id, count: 0 }, () => 0);
      for (let count = 1; isKnown && count <= 3; count++) {
        await this.rest();
        isKnown = await this.write(client, id, 'PATCH', { count }, () => count);
      }
      if (isKnown) {
        this.deleted.set(id, 4);
        isKnown = await this.write(client, id, 'DELETE', undefined, () => 4);
      }
      await this.rest();
    }
  }

  private async read(client: string): Promise<void> {
    for (let count = 0; !this.isOver; count++) {
      const path = count % 2 === 0 ? `/${this.counters[count % this.counters.length]}` : '?perPage=20&skipTotal=1';
      await this.ask(client, 'GET', path);
      await this.rest();
    }
  }

  /** Whether it was acknowledged. */
  private async write(
    client: string,
    id: string,
    method: 'POST' | 'PATCH' | 'DELETE',
    body: unknown,
    sequenceOf: (answer: Answer) => number,
  ): Promise<boolean> {
    const answer = await this.ask(client, method, method === 'POST' ? '' : `/${id}`, body);
    const isDone = answer.status >= 200 && answer.status < 300;
    if (isDone) {
      const sequence = sequenceOf(answer);
      this.log.acknowledge(id, sequence, answer.sent);
      this.observer.acknowledged?.(id, sequence, answer.servedBy);
    } else this.log.doubt(id);
    return isDone;
  }

  private ask(client: string, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
    return this.send(client, method, `/api/collections/counters/records${path}`, body);
  }

  private async send(
    client: string,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<Answer> {
    const sent = performance.now();
    let status = 0;
    let servedBy = '';
    let retryAfter: string | undefined;
    let answer: Record<string, unknown> = {};
    try {
      const response = await this.pool.request({
        method,
        path,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token && { authorization: token }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const asked = String(response.headers[SERVED_BY] ?? '').split(', ');
      // A delete is sent on to the next instance when one dies without an answer, and may have been carried out by then.
      servedBy = method === 'DELETE' && response.statusCode === 404 ? asked[0]! : asked.at(-1)!;
      retryAfter = response.headers['retry-after'] as string | undefined;
      const text = await response.body.text();
      status = response.statusCode;
      if (status === 200) answer = JSON.parse(text) as Record<string, unknown>;
    } catch {
      status = 0;
    }
    const isFine = status >= 200 && status < 300;
    this.observer.asked?.(performance.now() - sent, isFine);
    if (!isFine) {
      this.failures.push({ client, method, path, status, servedBy, retryAfter, sent });
      await sleep(PAUSE);
    }
    return { status, body: answer, servedBy, sent };
  }

  private async rest(): Promise<void> {
    const { pause = 0 } = this.options;
    if (pause > 0) await sleep(pause);
  }

  /** Listens, and again whenever its stream ends. */
  private async listen(client: string, isSignedIn: boolean): Promise<void> {
    for (let count = 1; this.isListening; count++) {
      const stream = await this.subscribe(client, `${client}.${count}`, isSignedIn);
      if (!stream) {
        await sleep(PAUSE);
        continue;
      }
      this.open.set(client, stream);
      await stream.reader.until(() => stream.reader.closed || stream.reader.endedCleanly, 2 ** 31 - 1);
      stream.heard.end();
      stream.reader.close();
      this.open.delete(client);
    }
  }

  /** Undefined when it does not come to be; it is tried again then. */
  private async subscribe(client: string, name: string, isSignedIn: boolean): Promise<OpenStream | undefined> {
    const reader = await SseReader.open({ port: Number(new URL(this.origin).port) }).catch(() => undefined);
    if (!reader) return undefined;
    const isGone = () => reader.closed || reader.endedCleanly || reader.status !== 200;
    await reader.until(() => reader.messages.length >= 2 || isGone(), PATIENCE).catch(() => reader.close());
    const servedBy = reader.header(SERVED_BY)?.split(', ').at(-1) ?? '';
    while (this.isListening && !isGone()) {
      // What it hears before it knows that it is subscribed, it has heard.
      const body = { clientId: reader.clientId, subscriptions: ['counters/*'] };
      const { status } = await this.send(client, 'POST', '/api/realtime', body, isSignedIn ? this.token : undefined);
      if (status === 204) {
        const heard = this.log.connect(name);
        reader.follow((message) => {
          if (message.event !== 'counters/*') return;
          const { action, record } = JSON.parse(message.data) as {
            action: string;
            record: { id: string; count: number };
          };
          const sequence = action === 'delete' ? record.count + 1 : record.count;
          heard.hear(record.id, sequence);
          this.observer.heard?.(record.id, sequence, servedBy);
        });
        return { reader, heard, servedBy };
      }
      // The instance that it leads to does not know of it any more.
      if (status === 404) break;
    }
    reader.close();
    return undefined;
  }
}

function newId(): string {
  return randomBytes(10).toString('hex').slice(0, 15);
}

async function until(isTrue: () => boolean, what: string, patience = 60_000): Promise<void> {
  for (const end = Date.now() + patience; !isTrue(); await sleep(20)) {
    if (Date.now() > end) throw new Error(`It was waited for ${what}, in vain.`);
  }
}
