import { Logger } from '@nestjs/common';
import type { Database } from '../database/database.js';
import { INSTANCE_BACK, INSTANCE_GONE, type InstanceLink } from '../instances/instance-link.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import { column, columnsOf, compare, oneOf, or, param, table } from '../kernel/sql/sql.js';
import type { StreamInterest } from './stream-interest.js';

export const OUTBOX = '_outbox';
const ID = column(OUTBOX, 'id', 'number');
/** What others are told to look for. */
const TOPIC = 'events';

/** Rows of one statement. */
export const CHUNK = 200;
/** Milliseconds for which events are kept for those that have not seen them. */
const KEPT = 60_000;
/** So often it is looked for events of which no message told. */
const LOOK = 5_000;
/** Milliseconds between the moment an entry gets its number and the commit that shows it, at most. */
const COMMIT_TIME = 30_000;
/** More numbers at once are not missing: they are gone. */
const MOST_MISSING = 1_000;
/** Characters of entries in one message; whoever is to hear of more reads them. */
const MOST_TOLD = 256 * 1024;

/** The name of an event's class, and what its codec wrote. */
export type WrittenEvent = readonly [name: string, data: string];

/** Entries of one transaction, whose numbers follow each other. Without events they are to be read. */
interface Told {
  readonly first: number;
  readonly count: number;
  readonly events?: readonly WrittenEvent[];
}

interface Entry {
  readonly id: number;
  readonly origin: string;
  readonly name: string;
  readonly data: string;
}

/** Who gets what is read. */
export interface OutboxAudience {
  /** False where it has no use for the event, or does not know its collection (yet). */
  tell(event: WrittenEvent): boolean;
  /** Events are gone that were never read here. */
  missed(): void;
}

/**
 * Reads what other processes write to the outbox, in the order of the commits.
 *
 * Where writers take turns under one parent, it seldom has to: whoever has committed sends the entries themselves
 * before another may write, and messages cannot overtake each other. Only what does not follow the last entry is read
 * then: what a worker stored and did not live to send, for one. Others send word that there is something to be read.
 */
export class OutboxReader {
  private readonly logger = new Logger('Events');
  /** The last entry that was read; undefined before `begin`. */
  private position: number | undefined;
  /** Numbers below the position whose transactions had not committed when they were passed, and until when they may. */
  private readonly missing = new Map<number, number>();
  private lastRead = 0;
  private opening = 0;
  private isDue = false;
  private reading: Promise<void> | undefined;
  /** What was told meanwhile. */
  private readonly toldMeanwhile: Told[] = [];
  /** What others commit is told before a transaction begins here. */
  private isSure = false;
  private telling: NodeJS.Immediate | undefined;
  private cleaning: NodeJS.Timeout | undefined;
  private looking: NodeJS.Timeout | undefined;
  private hasEnded = false;
  private readonly tellsEntries: boolean;

  constructor(
    private readonly database: Database,
    private readonly link: InstanceLink,
    private readonly streams: StreamInterest,
    private readonly audience: OutboxAudience,
  ) {
    this.tellsEntries = link.reachesAll && database.dialect.writersTakeTurns;
  }

  /** As `Outbox.ordersOwn`. */
  get ordersOwn(): boolean {
    return !this.link.isAlone && !this.database.dialect.writersTakeTurns;
  }

  /** Begins to read what others publish from now on. */
  async begin(): Promise<void> {
    if (this.link.isAlone) return;
    await this.beginAtEnd();
    this.looking = setInterval(() => void this.catchUp(), LOOK).unref();
    this.link.onBroadcast(TOPIC, (told) => this.hear(told as Told | undefined));
    this.link.onBroadcast(INSTANCE_BACK, () => void this.catchUp());
    this.link.onBroadcast(INSTANCE_GONE, () => void this.catchUp());
    // No transaction goes on before: what it publishes comes after what was published before.
    this.database.changes.afterForeignDefinitions(() => this.beforeOwn());
    this.link.onLead(() => this.beginCleaning());
  }

  end(): void {
    this.hasEnded = true;
    clearInterval(this.cleaning);
    clearInterval(this.looking);
  }

  /**
   * Tells the others of entries that have just been committed here, before anybody else may write; the last has a
   * number.
   */
  tellOthers(events: readonly WrittenEvent[], last: number): void {
    if (!this.tellsEntries) return this.wakeOthers();
    const told: Told = { first: last - events.length + 1, count: events.length };
    const length = events.reduce((sum, [, data]) => sum + data.length, 0);
    this.link.broadcast(TOPIC, length > MOST_TOLD ? told : { ...told, events });
    this.hear({ ...told, events: [] });
  }

  /** Once for all that is committed in one turn of the event loop: each message costs as much as some writes do. */
  private wakeOthers(): void {
    this.telling ??= setImmediate(() => {
      this.telling = undefined;
      this.link.broadcast(TOPIC);
      if (this.ordersOwn) void this.catchUp();
    });
  }

  private beforeOwn(): MaybePromise<void> {
    // A restored database has entries of its own.
    if (this.opening !== this.database.lifecycle.openings) return this.beginAtEnd();
    if (!this.isSure) return this.catchUp();
  }

  private async beginAtEnd(): Promise<void> {
    this.opening = this.database.lifecycle.openings;
    this.position = await this.lastEntry();
    this.lastRead = performance.now();
  }

  private hear(told: Told | undefined): void {
    if (!told) return void this.catchUp();
    if (this.reading) this.toldMeanwhile.push(told);
    else this.accept(told);
  }

  private accept({ first, count, events }: Told): void {
    if (first + count - 1 <= this.position!) return;
    if (!events || first !== this.position! + 1) return void this.catchUp();
    for (const event of events) {
      if (!this.audience.tell(event)) return void this.catchUp();
      this.position!++;
    }
    this.position = first + count - 1;
  }

  private async catchUp(): Promise<void> {
    if (this.hasEnded) return;
    this.isDue = true;
    this.isSure = false;
    this.reading ??= this.database
      .runOutside(() => this.read())
      .then((isSure) => {
        this.reading = undefined;
        this.isSure = isSure;
        for (const told of this.toldMeanwhile.splice(0)) this.hear(told);
      });
    return this.reading;
  }

  /** Whether everything is told that is committed after it. */
  private async read(): Promise<boolean> {
    let isSure = false;
    try {
      while (this.isDue) {
        this.isDue = false;
        isSure = this.tellsEntries && this.streams.isComplete;
        while ((await this.readChunk()) === CHUNK);
      }
      return isSure;
    } catch (error) {
      this.logger.warn(`Events of other processes cannot be read: ${String(error)}`);
      return false;
    }
  }

  private async readChunk(): Promise<number> {
    const from = this.position!;
    const missing = [...this.missing.keys()].map((id) => param(id));
    const entries = await this.database.all<Entry>({
      kind: 'select',
      columns: columnsOf(OUTBOX, { id: 'number', origin: 'text', name: 'text', data: 'text' }),
      from: table(OUTBOX),
      where: or(compare(ID, '>', param(from)), oneOf(ID, missing)),
      order: [{ value: ID, descending: false }],
      limit: CHUNK,
    });
    this.noteRead(entries.find(({ id }) => id > from)?.id ?? from + 1);
    for (const entry of entries) {
      this.pass(entry.id);
      if (entry.origin !== this.link.id || this.ordersOwn) await this.tell(entry);
    }
    return entries.length;
  }

  /** A collection that is not known here may be one that has just been made. */
  private async tell({ name, data }: Entry): Promise<void> {
    if (this.audience.tell([name, data])) return;
    // Not `catchUp`: whoever catches up at this moment waits for this reading.
    await this.database.changes.followDefinitions();
    this.audience.tell([name, data]);
  }

  /** Have entries been removed before they were read here? Where writers take turns there are no others between two. */
  private noteRead(next: number): void {
    const now = performance.now();
    const isTooLate = now - this.lastRead > KEPT - LOOK;
    const isTooFar = next - this.position! > (this.database.dialect.writersTakeTurns ? 1 : MOST_MISSING);
    this.lastRead = now;
    for (const [id, until] of this.missing) if (until < now) this.missing.delete(id);
    if (!isTooLate && !isTooFar) return;
    this.missing.clear();
    this.position = Math.max(this.position!, next - 1);
    this.audience.missed();
  }

  private pass(id: number): void {
    if (this.missing.delete(id)) return;
    const until = performance.now() + COMMIT_TIME;
    for (let between = this.position! + 1; between < id; between++) this.missing.set(between, until);
    this.position = id;
  }

  private async lastEntry(): Promise<number> {
    const last = await this.database.get<{ id: number }>({
      kind: 'select',
      columns: columnsOf(OUTBOX, { id: 'number' }),
      from: table(OUTBOX),
      order: [{ value: ID, descending: true }],
      limit: 1,
    });
    return last?.id ?? 0;
  }

  /** What was read here a while ago, others have read as well. */
  private beginCleaning(): void {
    let seen = this.position!;
    this.cleaning = setInterval(() => {
      const old = seen;
      seen = this.position!;
      const where = compare(ID, '<=', param(old));
      this.database
        .runOutside(() => this.database.run({ kind: 'delete', from: OUTBOX, where }))
        .catch((error: unknown) => this.logger.warn(`Old events cannot be removed: ${String(error)}`));
    }, KEPT).unref();
  }
}
