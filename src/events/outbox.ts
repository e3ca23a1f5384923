import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../database/database.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { chunksOf } from '../kernel/chunks-of.js';
import { thrownText } from '../kernel/errors/message-of.js';
import { param } from '../kernel/sql/sql.js';
import type { EventType } from './event-bus.js';
import { CHUNK, OUTBOX, OutboxReader, type WrittenEvent } from './outbox-reader.js';
import { StreamInterest } from './stream-interest.js';

/** How an event is serialized for other processes, as plain JSON. */
export interface EventCodec<Event extends object = object> {
  /** The name of the event's type in an entry. */
  readonly name: string;
  encode(event: Event): unknown;
  /** Undefined when the event means nothing here, for example because its collection is gone, or is not known yet. */
  decode(data: unknown): Event | undefined;
}

/**
 * Carries events to the other processes that serve the same application (transactional outbox). Each event is stored in
 * the transaction it is about, so that none is lost between the commit and the others (SCALE-21). Others learn of the
 * entries in the order of the commits (see OutboxReader).
 */
@Injectable()
export class Outbox implements OnApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly codecs = new Map<EventType, EventCodec>();
  private readonly typesByName = new Map<string, EventType>();
  /** Events that are stored whether or not others have streams. */
  private readonly always = new Set<EventType>();
  private readonly missed: (() => void)[] = [];
  /** By transaction: the events to store before its commit. */
  private readonly gathered = new WeakMap<object, (readonly object[])[]>();
  private deliver: (event: object) => void = () => undefined;
  private readonly reader: OutboxReader;

  constructor(
    private readonly database: Database,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
    private readonly streams: StreamInterest,
  ) {
    this.reader = new OutboxReader(database, link, streams, {
      tell: (event) => this.tell(event),
      missed: () => {
        for (const listener of this.missed) listener();
      },
    });
  }

  /** Whether there are other processes. */
  get isOpen(): boolean {
    return !this.link.isAlone;
  }

  /**
   * Whether events of this process are delivered by way of the outbox too: where several processes write at the same
   * time, only the order of the entries tells which of two changes of a record was first.
   */
  get ordersOwn(): boolean {
    return this.reader.ordersOwn;
  }

  /** Sets the codec of a type of event. Without one its own properties are serialized. */
  register<Event extends object>(type: EventType<Event>, codec?: EventCodec<Event>): void {
    if (codec === undefined && this.codecs.has(type)) return;
    codec ??= plainCodec(type);
    this.codecs.set(type, codec as unknown as EventCodec);
    this.typesByName.set(codec.name, type);
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
    const written = events.flatMap((event): WrittenEvent[] => {
      const codec = this.codecs.get(event.constructor as EventType);
      return codec ? [[codec.name, JSON.stringify(codec.encode(event))]] : [];
    });
    if (written.length === 0) return;
    const rows = written.map(([name, data]) => [this.link.id, name, data].map((text) => param(text)));
    let last = 0;
    const columns = ['origin', 'name', 'data'];
    for (const chunk of chunksOf(rows, CHUNK)) {
      ({ lastInsertId: last } = await this.database.run({ kind: 'insert', into: OUTBOX, columns, rows: chunk }));
    }
    this.database.onCommit(() => this.reader.tellOthers(written, last));
  }

  /** Begins to read what others publish from now on. Before anything is loaded that events bring up to date. */
  begin(): Promise<void> {
    return this.reader.begin();
  }

  onApplicationShutdown(): void {
    this.reader.end();
  }

  private isWanted(event: object): boolean {
    return this.streams.exists || this.always.has(event.constructor as EventType);
  }

  private tell([name, data]: WrittenEvent): boolean {
    const type = this.typesByName.get(name);
    if (!type || !(this.streams.isHere || this.always.has(type))) return true;
    try {
      const event = this.codecs.get(type)!.decode(JSON.parse(data));
      if (!event) return false;
      this.deliver(event);
    } catch (error) {
      this.logger.error(`An event of another process cannot be read: ${thrownText(error)}`, (error as Error)?.stack);
    }
    return true;
  }
}

function plainCodec<Event extends object>(type: EventType<Event>): EventCodec<Event> {
  return {
    name: type.name,
    encode: (event) => ({ ...event }),
    decode: (data) => Object.assign(Object.create(type.prototype as object) as Event, data),
  };
}
