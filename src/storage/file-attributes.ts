import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { NewFile, StoredFile } from './file-storage.js';

/** The ending of the sidecar of a file; no file may have it (FS-26, FS-32). */
export const ATTRIBUTES_EXTENSION = '.attrs';

/** What the disk does not know about a file by itself. */
export type FileAttributes = Pick<StoredFile, 'contentType' | 'originalName' | 'md5'>;

export const UNKNOWN_ATTRIBUTES: FileAttributes = {
  contentType: 'application/octet-stream',
  originalName: undefined,
  md5: undefined,
};

/** Sidecars have some hundred bytes; a larger file is none of ours and is not read. */
const LARGEST = 64 * 1024;

/** Reads the sidecar of a file; UNKNOWN_ATTRIBUTES itself where it is missing, damaged or a link, or names no type. */
export async function readAttributes(path: string): Promise<FileAttributes> {
  try {
    const handle = await open(
      path + ATTRIBUTES_EXTENSION,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      const { size } = await handle.stat();
      return size > LARGEST ? UNKNOWN_ATTRIBUTES : parseAttributes(JSON.parse(await handle.readFile('utf8')));
    } finally {
      await handle.close();
    }
  } catch {
    return UNKNOWN_ATTRIBUTES;
  }
}

/** Writes the sidecar of a file, in the form of FS-32. */
export async function writeAttributes(path: string, file: NewFile): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const handle = await open(path + ATTRIBUTES_EXTENSION, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    const metadata = file.originalName === undefined ? {} : { 'original-filename': file.originalName };
    const attributes = { 'user.content_type': file.contentType, 'user.metadata': metadata, md5: file.md5 };
    await handle.writeFile(JSON.stringify(attributes));
  } finally {
    await handle.close();
  }
}

function parseAttributes(stored: unknown): FileAttributes {
  if (typeof stored !== 'object' || stored === null) return UNKNOWN_ATTRIBUTES;
  const { 'user.content_type': type, 'user.metadata': metadata, md5 } = stored as Record<string, unknown>;
  const contentType = text(type);
  if (!contentType) return UNKNOWN_ATTRIBUTES;
  const originalName = (metadata as Record<string, unknown> | null | undefined)?.['original-filename'];
  return { contentType, originalName: text(originalName), md5: text(md5) };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
