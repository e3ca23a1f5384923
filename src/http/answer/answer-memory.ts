import type { ServerResponse } from 'node:http';

/** Answers with fewer bytes are not counted. */
export const SMALL_ANSWER = 128 * 1024;

interface Waiting {
  readonly share: AnswerShare;
  readonly size: number;
  readonly enter: () => void;
}

/** The bytes one client holds, and its answers that wait, in order of arrival. */
interface ClientShares {
  held: number;
  /** In the order in which they were taken. */
  readonly shares: Set<AnswerShare>;
  readonly waiting: Waiting[];
}

/**
 * Limits the memory of large answers (OPS-39). An answer reserves a share before it is made, by the size of its rows,
 * and keeps it until its client has read it. When there is no room it waits: first come, first served among the answers
 * to one client, and round-robin between clients. Nothing is refused; answers whose clients read nothing are cut off
 * when others wait for their room.
 */
export class AnswerMemory {
  /** Tests lower them. */
  readonly limits = {
    /** Bytes of large answers, in the making or on their way, of all clients together. */
    all: 48 * 1024 * 1024,
    /** Of one client: what it reads slowly leaves room for others. What is larger by itself counts as this much. */
    client: 24 * 1024 * 1024,
    /** Milliseconds in which a client has to read something of an answer for whose room others wait. */
    stall: 2_000,
    /** Milliseconds between two looks at that. */
    look: 500,
  };
  /** Reserved bytes. May exceed the limit when answers turn out larger than estimated. */
  private taken = 0;
  private readonly shares = new WeakMap<ServerResponse, AnswerShare>();
  private readonly clients = new Map<string, ClientShares>();
  /** Clients with waiting answers, the next one first. */
  private readonly waiting = new Map<string, ClientShares>();
  private looking: NodeJS.Timeout | undefined;

  /** Bytes that answers have of it at the moment. */
  get takenBytes(): number {
    return this.taken;
  }

  /** How many answers wait. */
  get waitingAnswers(): number {
    let count = 0;
    for (const { waiting } of this.waiting.values()) count += waiting.length;
    return count;
  }

  /** The share of an answer to this client; it is empty until something is reserved. */
  shareOf(response: ServerResponse, client: string): AnswerShare {
    let share = this.shares.get(response);
    if (!share) this.shares.set(response, (share = new AnswerShare(this, client, response)));
    return share;
  }

  /** For shares: takes as much at this moment, if nobody has to wait for it. */
  tryTake(share: AnswerShare, bytes: number): boolean {
    const size = Math.min(bytes, this.limits.client);
    const client = this.clientOf(share);
    if (client.waiting.length > 0 || !this.fits(client, size) || this.isFull()) return false;
    this.give(client, share, size);
    return true;
  }

  /** For shares: resolves when the share has as much, or its response has ended. */
  take(share: AnswerShare, bytes: number): Promise<void> {
    return new Promise((resolve) => {
      const client = this.clientOf(share);
      client.waiting.push({ share, size: Math.min(bytes, this.limits.client), enter: resolve });
      this.clients.set(share.client, client);
      this.waiting.set(share.client, client);
      this.looking ??= setInterval(() => this.cutOffStalled(), this.limits.look).unref();
      this.admit();
    });
  }

  /** For shares: whether an answer that has a share may have so many bytes, beside what others hold. */
  hasRoomBeside({ bytes: own }: AnswerShare, bytes: number): boolean {
    const others = this.taken - own;
    return others === 0 || others + bytes <= this.limits.all;
  }

  /** For shares: the answer turned out to be larger or smaller. Never waits. */
  resize(share: AnswerShare, bytes: number): void {
    const client = this.clientOf(share);
    client.held += bytes - share.bytes;
    this.taken += bytes - share.bytes;
    share.bytes = bytes;
    this.admit();
  }

  /** For shares: frees what was reserved, or leaves the queue. */
  release(share: AnswerShare): void {
    const client = this.clients.get(share.client);
    if (!client) return;
    const place = client.waiting.findIndex((each) => each.share === share);
    if (place >= 0) client.waiting.splice(place, 1)[0]!.enter();
    if (client.waiting.length === 0) this.waiting.delete(share.client);
    if (client.shares.delete(share)) {
      client.held -= share.bytes;
      this.taken -= share.bytes;
      share.bytes = 0;
    }
    this.forgetIdle(share.client, client);
    this.admit();
  }

  private clientOf({ client }: AnswerShare): ClientShares {
    return this.clients.get(client) ?? { held: 0, shares: new Set(), waiting: [] };
  }

  private forgetIdle(name: string, client: ClientShares): void {
    if (client.shares.size === 0 && client.waiting.length === 0) this.clients.delete(name);
  }

  private give(client: ClientShares, share: AnswerShare, size: number): void {
    client.held += size;
    client.shares.add(share);
    this.clients.set(share.client, client);
    this.taken += size;
    share.bytes = size;
  }

  private fits(client: ClientShares, size: number): boolean {
    return this.fitsClient(client, size) && this.isFree(size);
  }

  private isFree(size: number): boolean {
    return this.taken + size <= this.limits.all;
  }

  private fitsClient({ held }: ClientShares, size: number): boolean {
    return held + size <= this.limits.client;
  }

  /** Whether an answer waits that would fit if others had not reserved the room. Later ones must not overtake it. */
  private isFull(): boolean {
    for (const client of this.waiting.values()) if (this.fitsClient(client, client.waiting[0]!.size)) return true;
    return false;
  }

  private admit(): void {
    for (let next = this.next(); next; next = this.next()) {
      const [name, client] = next;
      const { share, size, enter } = client.waiting.shift()!;
      this.waiting.delete(name);
      if (client.waiting.length > 0) this.waiting.set(name, client);
      this.give(client, share, size);
      enter();
    }
    if (this.waiting.size > 0 || this.looking === undefined) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }

  /** The client whose answer is next. One that has reached its own limit is passed over; all others are waited for. */
  private next(): [string, ClientShares] | undefined {
    for (const [name, client] of this.waiting) {
      const { size } = client.waiting[0]!;
      if (this.fitsClient(client, size)) return this.isFree(size) ? [name, client] : undefined;
    }
    return undefined;
  }

  /** Cuts off answers until those that wait fit: the clients with most bytes first, and of each the oldest answers. */
  private cutOffStalled(): void {
    let wanted = 0;
    for (const { waiting } of this.waiting.values()) for (const { size } of waiting) wanted += size;
    const now = performance.now();
    // Where each client waits only for its own limit, cutting off the answers of others would not help.
    const clients = this.isFull() ? this.clients : this.waiting;
    // `isStalled` remembers what it saw, so it has to be called for every share.
    const stalled = [...clients.values()]
      .sort((one, other) => other.held - one.held)
      .flatMap(({ shares }) => [...shares].filter((share) => share.isStalled(now, this.limits.stall)));
    for (const share of stalled) {
      if (wanted <= 0) return;
      wanted -= share.bytes;
      share.cutOff();
    }
  }
}

/** The memory reserved for one answer. It is freed when the response ends, however it ends. */
export class AnswerShare {
  /** Set by AnswerMemory. */
  bytes = 0;
  private isOpen = false;
  /** What waited to be read when it was looked at last, and since when it is the same. */
  private unread = -1;
  private since = 0;

  constructor(
    private readonly memory: AnswerMemory,
    readonly client: string,
    private readonly response: ServerResponse,
  ) {}

  /** Reserves this many bytes instead of those it has, if they are free. A response that has ended needs none. */
  tryTake(bytes: number): boolean {
    if (this.response.closed) return true;
    if (this.bytes > 0) {
      this.memory.resize(this, bytes);
      return true;
    }
    this.open();
    return this.memory.tryTake(this, bytes);
  }

  /**
   * Reserves this many bytes for an answer that grows while it is made, unless others have what is free. A lone one may
   * be of any size.
   */
  tryGrow(bytes: number): boolean {
    return (this.bytes === 0 || this.memory.hasRoomBeside(this, bytes)) && this.tryTake(bytes);
  }

  /** Waits until this many bytes are free. The caller should drop what it has read, because waiting may take long. */
  async take(bytes: number): Promise<void> {
    if (!this.tryTake(bytes)) await this.memory.take(this, bytes);
  }

  /** The answer turned out to be larger or smaller than that. */
  resize(bytes: number): void {
    if (this.bytes > 0) this.memory.resize(this, bytes);
  }

  release(): void {
    this.memory.release(this);
  }

  /**
   * For AnswerMemory: whether the client has read nothing for this many milliseconds. Time in which the answer is being
   * made does not count.
   */
  isStalled(now: number, milliseconds: number): boolean {
    const unread = this.response.headersSent ? (this.response.socket?.writableLength ?? 0) : 0;
    if (unread === this.unread && unread > 0) return now - this.since >= milliseconds;
    this.unread = unread;
    this.since = now;
    return false;
  }

  /** For AnswerMemory. */
  cutOff(): void {
    this.response.destroy();
    this.release();
  }

  private open(): void {
    if (this.isOpen) return;
    this.isOpen = true;
    this.response.once('close', () => this.release());
  }
}
