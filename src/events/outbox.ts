import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../database/database.js';
import { INSTANCE_BACK, INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { column, columnsOf, compare, oneOf, or, param, table } from '../kernel/sql/sql.js';
import type { EventType } from './event-bus.js';
import { StreamInterest } from './stream-interest.js';

const TABLE = '_outbox';
const ID = column(TABLE, 'id', 'number');
/** The topic of the message that there are new entries. */
const TOPIC = 'events';

/** Rows of one statement. */
const CHUNK = 200;
/** Milliseconds for which entries are kept. */
const KEPT = 60_000;
/** Milliseconds between two looks for entries without a message. */
const LOOK = 5_000;
/** The longest time between the numbering of an entry and the commit that makes it visible, in milliseconds. */
const COMMIT_TIME = 30_000;
/** A larger gap in the numbers means that entries were deleted. */
const MOST_MISSING = 1_000;

/** How an event is serialized for other processes, as plain JSON. */
export interface EventCodec<Event extends object = object> {
  /** The name of the event's type in an entry. */
  readonly name: string;
  encode(event: Event): unknown;
  /** Undefined when the event means nothing here, for example because its collection is gone. */
  decode(data: unknown): Event | undefined;
}

interface Entry {
  readonly id: number;
  readonly origin: string;
  readonly name: string;
  readonly data: string;
}

/**
 * Carries events to the other processes that serve the same application (transactional outbox). Each event is stored in
 * the transaction it is about, so that none is lost between the commit and the others (SCALE-21). Others read the
 * entries in the order of the commits when a message arrives, or the data change without one.
 */
@Injectable()
export class Outbox implements OnApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly codecs = new Map<EventType, EventCodec>();
  private readonly codecsByName = new Map<string, EventCodec>();
  /** Events that are stored whether or not others have streams. */
  private readonly always = new Set<EventType>();
  private readonly missed: (() => void)[] = [];
  /** By transaction: the events to store before its commit. */
  private readonly gathered = new WeakMap<object, (readonly object[])[]>();
  private deliver: (event: object) => void = () => undefined;
  /** The last entry that was read; undefined before `begin`. */
  private position: number | undefined;
  /** Numbers below the position that were not visible yet when it passed them, and until when they may become so. */
  private readonly missing = new Map<number, number>();
  private lastRead = 0;
  private isDue = false;
  private reading: Promise<void> | undefined;
  private telling: NodeJS.Immediate | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    private readonly streams: StreamInterest,
  ) {}

  /** Whether there are other processes. */
  get isOpen(): boolean {
    return !this.link.isAlone;
  }

  /**
   * Whether events of this process are delivered by way of the outbox too: where several processes write at the same
   * time, only the order of the entries tells which of two changes of a record was first.
   */
  get ordersOwn(): boolean {
    return this.isOpen && !this.database.dialect.writersTakeTurns;
  }

  /** Sets the codec of a type of event. Without one its own properties are serialized. */
  register<Event extends object>(type: EventType<Event>, codec?: EventCodec<Event>): void {
    if (codec === undefined && this.codecs.has(type)) return;
    codec ??= plainCodec(type);
    this.codecs.set(type, codec as unknown as EventCodec);
    this.codecsByName.set(codec.name, codec as unknown as EventCodec);
  }

  /** Has events of this type stored whether or not others have streams. */
  alwaysStore(type: EventType): void {
    this.always.add(type);
  }

  /** Calls back with each event of another process. */
  onEvent(deliver: (event: object) => void): void {
    this.deliver = deliver;
  }

  /** Calls back when entries were deleted before they were read here. */
  onMissed(listener: () => void): void {
    this.missed.push(listener);
  }

  /**
   * Stores events in the ambient transaction right before its commit, all at once; more may be added until then. Others
   * are told after the commit.
   */
  storeAtCommit(events: readonly object[]): void {
    const { commitWork, transactions } = this.database;
    commitWork.beforeCommit(() => {
      const key = transactions.key!;
      const gathered = this.gathered.get(key);
      if (gathered) return void gathered.push(events);
      const all = [events];
      this.gathered.set(key, all);
      commitWork.beforeCommit(() => {
        const events = all.flat();
        const wanted = events.filter((event) => this.isWanted(event));
        if (wanted.length < events.length) this.streams.trackUnannounced();
        return this.store(wanted);
      });
    });
  }

  /** Writes events in a transaction of their own, or that around the caller. */
  async store(events: readonly object[]): Promise<void> {
    const rows = events.flatMap((event) => {
      const codec = this.codecs.get(event.constructor as EventType);
      return codec ? [[this.link.id, codec.name, JSON.stringify(codec.encode(event))].map((text) => param(text))] : [];
    });
    if (rows.length === 0) return;
    for (let start = 0; start < rows.length; start += CHUNK) {
      const columns = ['origin', 'name', 'data'];
      await this.database.run({ kind: 'insert', into: TABLE, columns, rows: rows.slice(start, start + CHUNK) });
    }
    this.database.onCommit(() => this.tellOthers());
  }

  private isWanted(event: object): boolean {
    return this.streams.exists || this.always.has(event.constructor as EventType);
  }

  /** One message for all commits of one turn of the event loop, because a message costs as much as some writes. */
  private tellOthers(): void {
    this.telling ??= setImmediate(() => {
      this.telling = undefined;
      this.link.broadcast(TOPIC);
      if (this.ordersOwn) void this.catchUp();
    });
  }

  /** Reads what others publish from now on. To be called before anything is loaded that events keep up to date. */
  async begin(): Promise<void> {
    if (this.link.isAlone) return;
    this.position = await this.lastEntry();
    this.lastRead = performance.now();
    this.looking = setInterval(() => void this.catchUp(), LOOK).unref();
    this.link.onBroadcast(TOPIC, () => void this.catchUp());
    this.link.onBroadcast(INSTANCE_BACK, () => void this.catchUp());
    // No transaction goes on before this is done, so that its events come after those published before.
    this.database.changes.onForeignDefinitions(() => this.catchUp());
    this.link.onLead(() => this.beginCleaning());
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    clearInterval(this.looking);
  }

  private catchUp(): Promise<void> {
    this.isDue = true;
    this.reading ??= this.database.runOutside(() => this.read()).finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async read(): Promise<void> {
    try {
      while (this.isDue) {
        this.isDue = false;
        while ((await this.readChunk()) === CHUNK);
      }
    } catch (error) {
      this.logger.warn(`Events of other processes cannot be read: ${String(error)}`);
    }
  }

  private async readChunk(): Promise<number> {
    const from = this.position!;
    const missing = [...this.missing.keys()].map((id) => param(id));
    const entries = await this.database.all<Entry>({
      kind: 'select',
      columns: columnsOf(TABLE, { id: 'number', origin: 'text', name: 'text', data: 'text' }),
      from: table(TABLE),
      where: or(compare(ID, '>', param(from)), oneOf(ID, missing)),
      order: [{ value: ID, descending: false }],
      limit: CHUNK,
    });
    this.noteRead(entries.find(({ id }) => id > from)?.id ?? from + 1);
    for (const entry of entries) {
      this.pass(entry.id);
      if (entry.origin !== this.link.id || this.ordersOwn) this.tell(entry);
    }
    return entries.length;
  }

  /**
   * Checks whether entries were deleted before they were read here. Where writers take turns the numbers have no gaps.
   */
  private noteRead(next: number): void {
    const now = performance.now();
    const isTooLate = now - this.lastRead > KEPT - LOOK;
    const isTooFar = next - this.position! > (this.database.dialect.writersTakeTurns ? 1 : MOST_MISSING);
    this.lastRead = now;
    for (const [id, until] of this.missing) if (until < now) this.missing.delete(id);
    if (!isTooLate && !isTooFar) return;
    this.missing.clear();
    this.position = Math.max(this.position!, next - 1);
    for (const listener of this.missed) listener();
  }

  private pass(id: number): void {
    if (this.missing.delete(id)) return;
    const until = performance.now() + COMMIT_TIME;
    for (let between = this.position! + 1; between < id; between++) this.missing.set(between, until);
    this.position = id;
  }

  private tell({ name, data }: Entry): void {
    try {
      const event = this.codecsByName.get(name)?.decode(JSON.parse(data));
      if (event) this.deliver(event);
    } catch (error) {
      this.logger.error(`An event of another process cannot be read: ${String(error)}`, (error as Error)?.stack);
    }
  }

  private async lastEntry(): Promise<number> {
    const last = await this.database.get<{ id: number }>({
      kind: 'select',
      columns: columnsOf(TABLE, { id: 'number' }),
      from: table(TABLE),
      order: [{ value: ID, descending: true }],
      limit: 1,
    });
    return last?.id ?? 0;
  }

  /** Deletes entries after a while, when all others have read them. */
  private beginCleaning(): void {
    let seen = this.position!;
    this.timer = setInterval(() => {
      const old = seen;
      seen = this.position!;
      const where = compare(ID, '<=', param(old));
      this.database
        .runOutside(() => this.database.run({ kind: 'delete', from: TABLE, where }))
        .catch((error: unknown) => this.logger.warn(`Old events cannot be removed: ${String(error)}`));
    }, KEPT).unref();
  }
}

function plainCodec<Event extends object>(type: EventType<Event>): EventCodec<Event> {
  return {
    name: type.name,
    encode: (event) => ({ ...event }),
    decode: (data) => Object.assign(Object.create(type.prototype as object) as Event, data),
  };
}
