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

/** Chunks before the pixels. Usual are ten. */
const MAX_CHUNKS = 1_000;

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
 * Throws for a PNG with texts, a colour profile or EXIF data that become large (OPS-39): fifty texts of 50 KB may become
 * 2.5 GB. A decoder inflates them all before it has seen a pixel, whatever its limits of time and pixels are.
 */
export async function refuseInflatingPng(image: Buffer | string): Promise<void> {
  if (typeof image !== 'string') {
    return look((offset, length) => Promise.resolve(image.subarray(offset, offset + length)));
  }
  const file = await open(image, 'r');
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
  const signature = await read(0, SIGNATURE.length);
  if (!signature.equals(SIGNATURE)) return;
  let at = signature.length;
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
      if (left < 0) throw new Error('The image has too much text.');
      const content = await read(at + CHUNK_HEAD, length);
      const start = startOf(content);
      if (start > 0) left -= await inflatedLength(content.subarray(start), left);
    }
    at += CHUNK_HEAD + length + CHUNK_END;
  }
  throw new Error('The image has too many chunks.');
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
