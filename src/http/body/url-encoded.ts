/** Bytes after which others may go first. */
const PIECE = 32 * 1024;

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;
const SPACE = 0x20;

/** How many values there are at most: so many pairs as there are places between `&`, empty ones included. */
export function countPairs(bytes: Buffer, most: number): number {
  let count = 1;
  for (let at = bytes.indexOf(AMPERSAND); at >= 0 && count <= most; at = bytes.indexOf(AMPERSAND, at + 1)) count++;
  return count;
}

/**
 * Gives each name and value of an urlencoded text to `take`, as the URL standard reads them. A pair may be as long as the
 * body: each `yield` is a place where others may go first (OPS-39).
 */
export function* readPairs(bytes: Buffer, take: (name: Buffer, value: Buffer) => void): Generator<void, void> {
  for (let start = 0; start < bytes.length;) {
    const ampersand = bytes.indexOf(AMPERSAND, start);
    const end = ampersand < 0 ? bytes.length : ampersand;
    if (end > start) {
      const equals = bytes.subarray(start, end).indexOf(EQUALS);
      const nameEnd = equals < 0 ? end : start + equals;
      const name = yield* decode(bytes.subarray(start, nameEnd));
      take(name, yield* decode(bytes.subarray(Math.min(nameEnd + 1, end), end)));
      yield;
    }
    start = end + 1;
  }
}

function* decode(bytes: Buffer): Generator<void, Buffer> {
  const decoded = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  let pauseAt = PIECE;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    const escaped = byte === PERCENT ? hexAt(bytes, at + 1) * 16 + hexAt(bytes, at + 2) : -1;
    // What is no escape stands for itself.
    if (escaped >= 0) at += 2;
    decoded[length++] = escaped >= 0 ? escaped : byte === PLUS ? SPACE : byte;
    if (at < pauseAt) continue;
    pauseAt = at + PIECE;
    yield;
  }
  return decoded.subarray(0, length);
}

/** The value of a hexadecimal digit, or -Infinity. */
function hexAt(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -Infinity;
}
