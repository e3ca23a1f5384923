import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw, type InputType, type ZlibOptions } from 'node:zlib';
import { AppendedFile } from './appended-file.js';

/** What an entry is, besides its content. */
export interface ZipEntry {
  /** With `/` between its parts. */
  readonly name: string;
  readonly modified: Date;
  readonly compress: boolean;
}

/** An entry as its headers tell it. */
interface Header {
  readonly name: Buffer;
  readonly modified: Date;
  readonly method: number;
  readonly crc: number;
  readonly size: number;
  readonly compressedSize: number;
  /** Where the entry begins. */
  readonly offset: number;
}

const STORED = 0;
const DEFLATED = 8;
const FASTEST: ZlibOptions = { level: 1 };

/** What does not fit into 32 or 16 bits stands in a wider field of the same record. */
const WIDE = 0xffffffff;
const WIDE_COUNT = 0xffff;

/** A stream of this size could need wide sizes once it is compressed, which only grows what is compressed already. */
const NEARLY_WIDE = 0xf0000000;

const MADE_BY_UNIX = (3 << 8) | 45;
const PLAIN_FILE_OF_OWNER = 0o100600;
const UTF8_NAME = 0x0800;

const compressed = promisify<InputType, ZlibOptions, Buffer>(deflateRaw);

/**
 * Writes a zip (APPNOTE 6.3, with zip64) to a file. The directory at its end is gathered in a second file beside it, so
 * that the number of entries does not matter for the memory. Finish with `end`, or `abort`.
 */
export class ZipWriter {
  private count = 0;

  private constructor(
    private readonly zip: AppendedFile,
    private readonly directory: AppendedFile,
    private readonly directoryPath: string,
  ) {}

  static async create(path: string): Promise<ZipWriter> {
    const directoryPath = `${path}.directory`;
    const zip = await AppendedFile.create(path);
    try {
      return new ZipWriter(zip, await AppendedFile.create(directoryPath), directoryPath);
    } catch (error) {
      await zip.close();
      throw error;
    }
  }

  /** Adds content that is in memory. */
  async add({ name, modified, compress }: ZipEntry, content: Buffer): Promise<void> {
    const data = compress ? await compressed(content, FASTEST) : content;
    const header: Header = {
      name: Buffer.from(name),
      modified,
      method: compress ? DEFLATED : STORED,
      crc: crc32(content),
      size: content.length,
      compressedSize: data.length,
      offset: this.zip.size,
    };
    await this.zip.append(localHeader(header, false));
    await this.zip.append(data);
    await this.enter(header);
  }

  /** Adds content as it comes. `size` is how much of it there will be, about. */
  async addStream({ name, modified, compress }: ZipEntry, content: AsyncIterable<Buffer>, size: number): Promise<void> {
    const isWide = size >= NEARLY_WIDE;
    const method = compress ? DEFLATED : STORED;
    const begun: Header = {
      name: Buffer.from(name),
      modified,
      method,
      crc: 0,
      size: 0,
      compressedSize: 0,
      offset: this.zip.size,
    };
    await this.zip.append(localHeader(begun, isWide));
    const start = this.zip.size;
    let crc = 0;
    let length = 0;
    const measured = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of content) {
        crc = crc32(piece, crc);
        length += piece.length;
        yield piece;
      }
    };
    const append = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
      for await (const piece of pieces) await this.zip.append(piece);
    };
    if (compress) await pipeline(measured, createDeflateRaw(FASTEST), append);
    else await append(measured());
    const header: Header = { ...begun, crc, size: length, compressedSize: this.zip.size - start };
    if (!isWide && Math.max(header.size, header.compressedSize) >= WIDE)
      throw new Error(`${name} grew while it was read.`);
    await this.zip.overwrite(localHeader(header, isWide), header.offset);
    await this.enter(header);
  }

  /** Writes the directory. The archive is complete then. */
  async end(): Promise<void> {
    const start = this.zip.size;
    for await (const piece of this.directory.read()) await this.zip.append(piece);
    await this.zip.append(endOfZip(this.count, start, this.zip.size - start));
    await this.zip.flush();
    await this.close();
  }

  /** Closes the files. The archive stays incomplete. */
  async abort(): Promise<void> {
    await this.close().catch(() => undefined);
  }

  private async enter(header: Header): Promise<void> {
    await this.directory.append(directoryHeader(header));
    this.count++;
  }

  private async close(): Promise<void> {
    await Promise.all([this.zip.close(), this.directory.close(), rm(this.directoryPath, { force: true })]);
  }
}

function localHeader(header: Header, isWide: boolean): Buffer {
  const { name, size, compressedSize } = header;
  const extra = isWide ? wideExtra([size, compressedSize]) : Buffer.alloc(0);
  const fixed = Buffer.alloc(30);
  fixed.writeUInt32LE(0x04034b50, 0);
  writeCommon(fixed.subarray(4), header, isWide ? [WIDE, WIDE] : [size, compressedSize]);
  fixed.writeUInt16LE(name.length, 26);
  fixed.writeUInt16LE(extra.length, 28);
  return Buffer.concat([fixed, name, extra]);
}

function directoryHeader(header: Header): Buffer {
  const { name, size, compressedSize, offset } = header;
  const wide = [size, compressedSize, offset].filter((value) => value >= WIDE);
  const extra = wide.length > 0 ? wideExtra(wide) : Buffer.alloc(0);
  const fixed = Buffer.alloc(46);
  fixed.writeUInt32LE(0x02014b50, 0);
  fixed.writeUInt16LE(MADE_BY_UNIX, 4);
  writeCommon(fixed.subarray(6), header, [size, compressedSize]);
  fixed.writeUInt16LE(name.length, 28);
  fixed.writeUInt16LE(extra.length, 30);
  fixed.writeUInt32LE((PLAIN_FILE_OF_OWNER << 16) >>> 0, 38);
  fixed.writeUInt32LE(Math.min(offset, WIDE), 42);
  return Buffer.concat([fixed, name, extra]);
}

/** What both headers of an entry have in common, from the version that reads it on. */
function writeCommon(at: Buffer, { modified, method, crc }: Header, [size, compressedSize]: readonly number[]): void {
  at.writeUInt16LE(45, 0);
  at.writeUInt16LE(UTF8_NAME, 2);
  at.writeUInt16LE(method, 4);
  at.writeUInt32LE(dosTime(modified), 6);
  at.writeUInt32LE(crc, 10);
  at.writeUInt32LE(Math.min(compressedSize!, WIDE), 14);
  at.writeUInt32LE(Math.min(size!, WIDE), 18);
}

function wideExtra(values: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * values.length);
  extra.writeUInt16LE(0x0001, 0);
  extra.writeUInt16LE(8 * values.length, 2);
  values.forEach((value, index) => extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
  return extra;
}

function endOfZip(count: number, start: number, size: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, WIDE_COUNT), 8);
  end.writeUInt16LE(Math.min(count, WIDE_COUNT), 10);
  end.writeUInt32LE(Math.min(size, WIDE), 12);
  end.writeUInt32LE(Math.min(start, WIDE), 16);
  if (count < WIDE_COUNT && size < WIDE && start < WIDE) return end;
  const wide = Buffer.alloc(56);
  wide.writeUInt32LE(0x06064b50, 0);
  wide.writeBigUInt64LE(44n, 4);
  wide.writeUInt16LE(MADE_BY_UNIX, 12);
  wide.writeUInt16LE(45, 14);
  [count, count, size, start].forEach((value, index) => wide.writeBigUInt64LE(BigInt(value), 24 + 8 * index));
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([wide, locator, end]);
}

/** Two seconds is as fine as it gets; the years are those from 1980 to 2107. */
function dosTime(date: Date): number {
  const year = Math.min(Math.max(date.getFullYear(), 1980), 2107) - 1980;
  const day = (year << 9) | ((date.getMonth() + 1) << 5) | date.getDate();
  const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}
