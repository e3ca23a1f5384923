import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '../database/database.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { param } from '../kernel/sql/sql.js';
import type { EventType } from './event-bus.js';
import { CHUNK, OUTBOX, OutboxReader, type WrittenEvent } from './outbox-reader.js';
import { StreamInterest } from './stream-interest.js';

/** How an event is written for other processes, as plain JSON. */
export interface EventCodec<Event extends object = object> {
  /** What it is called there. */
  readonly name: string;
  encode(event: Event): unknown;
  /** Undefined where it is of no use here: its collection is gone, say, or not known yet. */
  decode(data: unknown): Event | undefined;
}

/**
 * Carries events to the other processes that serve the same application: each is written in the transaction that it tells
 * of, so that none is lost between a commit and those that are to hear of it (SCALE-21). Others learn of them in the order
 * of the commits (see OutboxReader).
 */
@Injectable()
export class Outbox implements OnApplicationShutdown {
  private readonly logger = new Logger('Events');
  private readonly codecs = new Map<EventType, EventCodec>();
  private readonly typesByName = new Map<string, EventType>();
  /** Events that others want whether or not they have streams. */
  private readonly always = new Set<EventType>();
  private readonly missed: (() => void)[] = [];
  /** By transaction: what is to be written before its commit. */
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

  /** Whether there is anybody else to hear of events. */
  get isOpen(): boolean {
    return !this.link.isAlone;
  }

  /**
   * Whether what this process publishes comes back to it from here: where several write at the same time, only the order
   * of the entries tells which of two changes of a record was first.
   */
  get ordersOwn(): boolean {
    return this.reader.ordersOwn;
  }

  /** Says how events of a class travel. Where nobody says it, their own properties do. */
  carry<Event extends object>(type: EventType<Event>, codec?: EventCodec<Event>): void {
    if (codec === undefined && this.codecs.has(type)) return;
    codec ??= plainCodec(type);
    this.codecs.set(type, codec as unknown as EventCodec);
    this.typesByName.set(codec.name, type);
  }

  /** Has events of a class written whoever has streams. */
  alwaysCarry(type: EventType): void {
    this.always.add(type);
  }

  /** Calls back with each event of another process. */
  onEvent(deliver: (event: object) => void): void {
    this.deliver = deliver;
  }

  /** Calls back when events are gone that were never read here. */
  onMissed(listener: () => void): void {
    this.missed.push(listener);
  }

  /**
   * Has events written in the ambient transaction before its commit, all of it at once. They may still become more until
   * then. Others hear of them after the commit.
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
        if (wanted.length < events.length) this.streams.keepToSelf();
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
    for (let start = 0; start < rows.length; start += CHUNK) {
      const columns = ['origin', 'name', 'data'];
      const chunk = rows.slice(start, start + CHUNK);
      ({ lastInsertId: last } = await this.database.run({ kind: 'insert', into: OUTBOX, columns, rows: chunk }));
    }
    this.database.onCommit(() => this.reader.tellOthers(written, last));
  }

  private isWanted(event: object): boolean {
    return this.streams.exists || this.always.has(event.constructor as EventType);
  }

  /** Begins to read what others publish from now on. Before anything is loaded that events bring up to date. */
  begin(): Promise<void> {
    return this.reader.begin();
  }

  onApplicationShutdown(): void {
    this.reader.end();
  }

  private tell([name, data]: WrittenEvent): boolean {
    const type = this.typesByName.get(name);
    if (!type || !(this.streams.isHere || this.always.has(type))) return true;
    try {
      const event = this.codecs.get(type)!.decode(JSON.parse(data));
      if (!event) return false;
      this.deliver(event);
    } catch (error) {
      this.logger.error(`An event of another process cannot be read: ${String(error)}`, (error as Error)?.stack);
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
