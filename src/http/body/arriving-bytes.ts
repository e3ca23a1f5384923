/** Bytes that all bodies together may keep in memory while they arrive. */
const ROOM = 48 * 1024 * 1024;

/** What each may keep, however much others do. */
const OWN = 16 * 1024;

/** What a piece takes besides its bytes. */
const OVERHEAD = 200;

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

  /** Counts a piece. False when there is no room for it: then everything has to go to the disk. */
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

/** A piece that keeps only its own bytes in memory, and not all that came over the connection with it. */
export function alone(piece: Buffer): Buffer {
  if (piece.length * 2 >= piece.buffer.byteLength) return piece;
  const copy = Buffer.allocUnsafeSlow(piece.length);
  piece.copy(copy);
  return copy;
}
