/** What is wrong with what was stored or heard. */
export interface Fault {
  readonly kind:
    /** An acknowledged write is not there. */
    | 'lost'
    /** More is there than was ever sent. */
    | 'surplus'
    /** A connection that has to have heard of a write has not. */
    | 'missing'
    | 'twice'
    /** Heard after a later write of the same record. */
    | 'disorder';
  readonly record: string;
  readonly sequence: number;
  /** The name of the connection; undefined for what is stored. */
  readonly connection?: string;
}

interface Acknowledgement {
  readonly sequence: number;
  readonly sent: number;
}

interface Writes {
  readonly acknowledged: Acknowledgement[];
  /** How many may have been carried out without anybody having been told. */
  doubtful: number;
}

/** What one connection heard, from its subscription to its end. */
export class HeardBy {
  readonly records = new Map<string, number[]>();
  /** How many events. */
  count = 0;
  hasEnded = false;

  constructor(
    readonly name: string,
    /** Whatever is sent after this moment it has to hear of. */
    readonly since: number,
  ) {}

  hear(record: string, sequence: number): void {
    const heard = this.records.get(record);
    if (heard) heard.push(sequence);
    else this.records.set(record, [sequence]);
    this.count++;
  }

  end(): void {
    this.hasEnded = true;
  }
}

/**
 * Every acknowledged write, and every event that each connection heard, to be compared (SCALE-27). The writes of one
 * record count it up by one each, the first one being 0: so what is stored at the end tells how many there were, also
 * of those whose answer got lost, and a connection that heard of one has to hear of each that follows.
 */
export class DeliveryLog {
  readonly connections: HeardBy[] = [];
  private readonly writes = new Map<string, Writes>();

  /** A write was answered: it is committed as this one of its record. `sent` is when it was asked for. */
  acknowledge(record: string, sequence: number, sent = performance.now()): void {
    this.of(record).acknowledged.push({ sequence, sent });
  }

  /** A write was sent, and nobody knows what became of it. */
  doubt(record: string): void {
    this.of(record).doubtful++;
  }

  /** A connection that is subscribed from now on. */
  connect(name: string, since = performance.now()): HeardBy {
    const connection = new HeardBy(name, since);
    this.connections.push(connection);
    return connection;
  }

  /** How many writes were acknowledged. */
  get acknowledged(): number {
    let sum = 0;
    for (const { acknowledged } of this.writes.values()) sum += acknowledged.length;
    return sum;
  }

  /** All that is wrong. `stored` tells the last write of each record as it is found in the end. */
  faults(stored: ReadonlyMap<string, number>): Fault[] {
    const faults = [...this.writes].flatMap(([record, writes]) => storedFaults(record, writes, stored.get(record)));
    for (const connection of this.connections) {
      for (const record of new Set([...this.writes.keys(), ...connection.records.keys()])) {
        faults.push(...this.heardFaults(connection, record, stored.get(record) ?? -1));
      }
    }
    return faults;
  }

  private heardFaults(connection: HeardBy, record: string, last: number): Fault[] {
    const heard = connection.records.get(record) ?? [];
    const fault = (kind: Fault['kind'], sequence: number): Fault => ({
      kind,
      record,
      sequence,
      connection: connection.name,
    });
    const faults: Fault[] = [];
    const seen = new Set<number>();
    let highest = -1;
    for (const sequence of heard) {
      if (seen.has(sequence)) faults.push(fault('twice', sequence));
      else if (sequence < highest) faults.push(fault('disorder', sequence));
      seen.add(sequence);
      highest = Math.max(highest, sequence);
    }
    // Of one that has ended nobody knows what was still on its way.
    const end = connection.hasEnded ? highest : Math.max(last, highest);
    for (let sequence = this.firstFor(connection, record, heard); sequence <= end; sequence++) {
      if (!seen.has(sequence)) faults.push(fault('missing', sequence));
    }
    return faults;
  }

  /** The first write that this connection has to have heard of. */
  private firstFor({ since }: HeardBy, record: string, heard: readonly number[]): number {
    const sent = this.of(record).acknowledged.filter((each) => each.sent > since);
    return Math.min(...sent.map(({ sequence }) => sequence), ...heard);
  }

  private of(record: string): Writes {
    let writes = this.writes.get(record);
    if (!writes) this.writes.set(record, (writes = { acknowledged: [], doubtful: 0 }));
    return writes;
  }
}

function storedFaults(record: string, { acknowledged, doubtful }: Writes, last = -1): Fault[] {
  const faults: Fault[] = [];
  const seen = new Set<number>();
  for (const { sequence } of acknowledged) {
    // Of two that were told the same, the later one has overwritten the other.
    if (sequence > last || seen.has(sequence)) faults.push({ kind: 'lost', record, sequence });
    seen.add(sequence);
  }
  if (last + 1 > acknowledged.length + doubtful) faults.push({ kind: 'surplus', record, sequence: last });
  return faults;
}
