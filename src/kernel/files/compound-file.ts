import type { ByteSource } from './byte-source.js';

/** What the streams of the older Office formats are called, and the types they stand for. */
const TYPES: Readonly<Record<string, string>> = {
  WordDocument: 'application/msword',
  Workbook: 'application/vnd.ms-excel',
  Book: 'application/vnd.ms-excel',
  'PowerPoint Document': 'application/vnd.ms-powerpoint',
};

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** The header lists this many sectors of the allocation table; only very large files have more. */
const LISTED_TABLE_SECTORS = 109;
const MOST_DIRECTORY_SECTORS = 64;

/**
 * The type of an older Office document (doc, xls, ppt), undefined when the content is another kind of compound file.
 * The format is Microsoft's [MS-CFB]: a file system of sectors whose directory names the streams.
 */
export async function legacyOfficeType(source: ByteSource): Promise<string | undefined> {
  const header = view(await source.read(0, HEADER_BYTES));
  if (header.byteLength < HEADER_BYTES) return undefined;
  const sectorShift = header.getUint16(30, true);
  if (sectorShift !== 9 && sectorShift !== 12) return undefined;
  const sectorBytes = 1 << sectorShift;
  const readSector = async (sector: number) => view(await source.read((sector + 1) * sectorBytes, sectorBytes));

  let sector = header.getUint32(48, true);
  for (let left = MOST_DIRECTORY_SECTORS; left > 0; left--) {
    const directory = await readSector(sector);
    for (let offset = 0; offset + ENTRY_BYTES <= directory.byteLength; offset += ENTRY_BYTES) {
      const name = entryName(directory, offset);
      if (Object.hasOwn(TYPES, name)) return TYPES[name];
    }
    const tableIndex = Math.floor(sector / (sectorBytes / 4));
    if (tableIndex >= LISTED_TABLE_SECTORS) return undefined;
    const table = await readSector(header.getUint32(76 + 4 * tableIndex, true));
    const position = (sector % (sectorBytes / 4)) * 4;
    if (position + 4 > table.byteLength) return undefined;
    sector = table.getUint32(position, true);
  }
  return undefined;
}

function entryName(directory: DataView, offset: number): string {
  // In bytes, with a terminating zero character.
  const bytes = Math.min(directory.getUint16(offset + 64, true), 64);
  let name = '';
  for (let index = 0; index < bytes - 2; index += 2) {
    name += String.fromCharCode(directory.getUint16(offset + index, true));
  }
  return name;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
