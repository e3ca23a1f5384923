/** Bytes that all bodies together may keep in memory while they arrive. */
const ROOM = 48 * 1024 * 1024;

/** What each may keep, however much others do. */
const OWN = 16 * 1024;

/** What a buffer takes besides its bytes. */
const OVERHEAD = 200;

/** Bytes of room that is made for pieces that are still to come; a larger piece needs none. */
const AHEAD = 4 * 1024;

const NOTHING = Buffer.alloc(0);

/**
 * Counts what is kept in memory of bodies while they arrive, which takes as long as their clients like. There may be as
 * many as there are connections, so that what is beyond the room goes to the disk (OPS-39).
 */
export class ArrivingBytes {
  private total = 0;

  constructor(private readonly room = ROOM) {}

  /** Of a body, or of a part of one. */
  share(): HeldBytes {
    return new HeldBytes(this);
  }

  /** For shares. */
  has(bytes: number): boolean {
    return this.total + bytes <= this.room;
  }

  /** For shares: so many more, or fewer. */
  add(bytes: number): void {
    this.total += bytes;
  }
}

/** What one body keeps in memory. */
export class HeldBytes {
  private bytes = 0;

  constructor(private readonly all: ArrivingBytes) {}

  /** Counts a buffer. False when there is no room for it: then everything has to go to the disk. */
  keep(length: number): boolean {
    const bytes = length + OVERHEAD;
    if (this.bytes + bytes > OWN && !this.all.has(bytes)) return false;
    this.bytes += bytes;
    this.all.add(bytes);
    return true;
  }

  /** Nothing is kept any more. */
  release(): void {
    this.all.add(-this.bytes);
    this.bytes = 0;
  }
}

/**
 * Bytes in memory, in the order in which they came. Small pieces are copied together: of a body that comes byte by byte
 * each would take a hundred times as much, and keep all that came over the connection with it (OPS-39).
 */
export class KeptBytes {
  private buffers: Buffer[] = [];
  /** The last of them, which may have room left. */
  private last = NOTHING;
  private filled = 0;
  private bytes = 0;

  /** `held` counts them. */
  constructor(private readonly held: HeldBytes) {}

  get length(): number {
    return this.bytes;
  }

  /** False when there is no room for a piece: then it is not kept. */
  keep(piece: Buffer): boolean {
    if (piece.length >= AHEAD && piece.length * 2 >= piece.buffer.byteLength) return this.keepItself(piece);
    if (this.filled + piece.length > this.last.length && !this.makeRoom(piece.length)) return false;
    this.filled += piece.copy(this.last, this.filled);
    this.bytes += piece.length;
    return true;
  }

  /** All of them, which are kept no more. They are still counted. */
  take(): Buffer[] {
    this.endLast();
    const { buffers } = this;
    this.buffers = [];
    this.bytes = 0;
    return buffers;
  }

  private keepItself(piece: Buffer): boolean {
    if (!this.held.keep(piece.length)) return false;
    this.endLast();
    this.buffers.push(piece);
    this.bytes += piece.length;
    return true;
  }

  /** As many again as there are, so that few buffers are needed, and a single piece takes no more than its bytes. */
  private makeRoom(length: number): boolean {
    const size = Math.max(length, Math.min(this.bytes, AHEAD));
    if (!this.held.keep(size)) return false;
    this.endLast();
    this.last = Buffer.allocUnsafeSlow(size);
    return true;
  }

  private endLast(): void {
    if (this.filled > 0) this.buffers.push(this.last.subarray(0, this.filled));
    this.last = NOTHING;
    this.filled = 0;
  }
}
