import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflate, type InputType, type ZlibOptions } from 'node:zlib';

/** Up to so many bytes from an offset on; fewer only where the image ends. */
type Read = (offset: number, length: number) => Promise<Buffer>;

const inflated = promisify<InputType, ZlibOptions, Buffer>(inflate);

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Length and type before the content of a chunk, a checksum behind it. */
const CHUNK_HEAD = 8;
const CHUNK_END = 4;

/** The first two bytes of a JPEG. */
const JPEG_START = 0xffd8;
/** Marker and length of a segment; the length counts itself. */
const SEGMENT_HEAD = 4;
const START_OF_SCAN = 0xda;
/** From here on segments are what applications keep, and comments. */
const FIRST_APPLICATION = 0xe0;

/** `RIFF`, a length, `WEBP`. */
const WEBP_START = 12;
const WEBP_PIXELS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF']);

/** Chunks or segments before the pixels. Usual are ten. */
const MAX_CHUNKS = 1_000;
/** Chunks of a WebP, of which each picture of an animation is one. */
const MAX_FRAMES = 10_000;

/** What all that a decoder keeps besides the pixels may become, in bytes. It takes up to nine times as much. */
const MAX_EXTRAS = 4 * 1024 * 1024;

/** Where the compressed part of a chunk begins; 0 where it has none. */
const EXTRAS: ReadonlyMap<string, (content: Buffer) => number> = new Map([
  ['tEXt', () => 0],
  ['eXIf', () => 0],
  // A name, a zero, the method.
  ['zTXt', (content) => content.indexOf(0) + 2],
  ['iCCP', (content) => content.indexOf(0) + 2],
  ['iTXt', startInInternationalText],
]);

/**
 * Throws for a picture with texts, colour profiles or EXIF data that are large, or become so (OPS-39): fifty texts of 50 KB
 * in a PNG may become 2.5 GB. A decoder reads them all before it has seen a pixel, whatever its limits of time and pixels
 * are, and keeps up to nine copies.
 */
export async function refuseLargeExtras(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await look(async (offset, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    });
  } finally {
    await file.close();
  }
}

async function look(read: Read): Promise<void> {
  const start = await read(0, WEBP_START);
  if (start.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return lookAtPng(read);
  if (start.readUInt16BE() === JPEG_START) return lookAtJpeg(read);
  if (start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8) === 'WEBP') return lookAtWebp(read);
}

/** Segments up to the first pixels. Those behind them are kept once, and counted with the size of the file. */
async function lookAtJpeg(read: Read): Promise<void> {
  let at = 2;
  let left = MAX_EXTRAS;
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    const head = await read(at, SEGMENT_HEAD);
    if (head.length < SEGMENT_HEAD || head[0] !== 0xff) return;
    const marker = head[1]!;
    if (marker === START_OF_SCAN) return;
    // A marker may have any number of 0xff before it.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const length = head.readUInt16BE(2);
    if (marker >= FIRST_APPLICATION) left -= length;
    if (left < 0) throw tooMuchText();
    at += 2 + length;
  }
  throw tooManyChunks();
}

/** EXIF data and the like may stand before and behind the pixels. */
async function lookAtWebp(read: Read): Promise<void> {
  let at = WEBP_START;
  let left = MAX_EXTRAS;
  for (let count = 0; count < MAX_FRAMES; count += 1) {
    const head = await read(at, CHUNK_HEAD);
    if (head.length < CHUNK_HEAD) return;
    const length = head.readUInt32LE(4);
    if (!WEBP_PIXELS.has(head.toString('latin1', 0, 4))) left -= length;
    if (left < 0) throw tooMuchText();
    // Of an odd length there is one byte more.
    at += CHUNK_HEAD + length + (length % 2);
  }
  throw tooManyChunks();
}

async function lookAtPng(read: Read): Promise<void> {
  let at = SIGNATURE.length;
  let left = MAX_EXTRAS;
  for (let count = 0; count < MAX_CHUNKS; count += 1) {
    const head = await read(at, CHUNK_HEAD);
    // What is damaged is the decoder's to tell.
    if (head.length < CHUNK_HEAD) return;
    const length = head.readUInt32BE();
    const type = head.toString('latin1', 4);
    // What comes behind the first pixels is not read.
    if (type === 'IDAT') return;
    const startOf = EXTRAS.get(type);
    if (startOf) {
      left -= length;
      if (left < 0) throw tooMuchText();
      const content = await read(at + CHUNK_HEAD, length);
      const start = startOf(content);
      if (start > 0) left -= await inflatedLength(content.subarray(start), left);
    }
    at += CHUNK_HEAD + length + CHUNK_END;
  }
  throw tooManyChunks();
}

function tooMuchText(): Error {
  return new Error('The image has too much text.');
}

function tooManyChunks(): Error {
  return new Error('The image has too many chunks.');
}

/** Throws beyond so many bytes, and for what is damaged as well: a decoder inflates it before it finds out. */
async function inflatedLength(compressed: Buffer, most: number): Promise<number> {
  try {
    return (await inflated(compressed, { maxOutputLength: Math.max(most, 1) })).length;
  } catch (cause) {
    throw new Error('A text or profile of the image is damaged or becomes too large.', { cause });
  }
}

/** A keyword, a zero, whether it is compressed, the method, a language, a zero, the keyword in it, a zero. */
function startInInternationalText(content: Buffer): number {
  const flag = content.indexOf(0) + 1;
  if (content[flag] === 0) return 0;
  const language = content.indexOf(0, flag + 2) + 1;
  return content.indexOf(0, language) + 1;
}
