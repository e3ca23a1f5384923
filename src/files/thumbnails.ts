import { Inject, Injectable } from '@nestjs/common';
import type { FileDefinition } from '../kernel/fields/file-field.js';
import { hasThumbs, offersThumbSize, parseThumbSize } from '../kernel/files/thumb-size.js';
import { thumbKey } from '../storage/file-keys.js';
import { FILE_STORAGE, type FileStorage, type OpenedFile, type StoredFile } from '../storage/file-storage.js';
import { Thumbnailer } from './thumbnailer.js';

/** Which file is asked for, and in which size; `''` for the file itself. */
export interface VariantRequest {
  readonly key: string;
  readonly field: FileDefinition;
  readonly size: string;
  /** Who asks, as `clientOf` says; '' for the application itself. */
  readonly client: string;
}

/** A file somebody has looked at, or opened as well. */
export type FoundFile = { readonly file: StoredFile } | OpenedFile;

/** How a file is looked up: `stat` or `open` of the storage. */
export type FileLookup<Found extends FoundFile> = (key: string) => Promise<Found | undefined>;

/** What is sent for a file: itself, or one of its thumbnails. */
export interface FileVariant<Found extends FoundFile = FoundFile> {
  readonly found: Found;
  readonly name: string;
  /** Why it is not the thumbnail that was asked for. */
  readonly thumbError: Error | null;
}

/** Finds what a `thumb` parameter stands for (FS-80 to FS-84). */
@Injectable()
export class Thumbnails {
  constructor(
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    private readonly thumbnailer: Thumbnailer,
  ) {}

  /**
   * The thumbnail of a file in this size, made now when it is asked for the first time. The file itself where the field
   * does not offer the size, the file is no image, or making it failed. Undefined when the file is not there. Where
   * `look` opens files, only the one that is returned has been opened.
   */
  async find<Found extends FoundFile>(
    { key, field, size, client }: VariantRequest,
    look: FileLookup<Found>,
  ): Promise<FileVariant<Found> | undefined> {
    const name = key.slice(key.lastIndexOf('/') + 1);
    const wanted = offersThumbSize(field.thumbs, size) ? parseThumbSize(size) : undefined;
    if (!wanted) return variant(await look(key), name);
    const thumb = { key: thumbKey(key, size), name: `${size}_${name}` };
    const present = await look(thumb.key);
    if (present) return variant(present, thumb.name);
    const original = await this.storage.stat(key);
    if (!original || !hasThumbs(original.contentType)) return variant(await look(key), name);
    try {
      await this.thumbnailer.make({ original, key: thumb.key, size: wanted, client });
    } catch (error) {
      return variant(await look(key), name, error as Error);
    }
    return variant(await look(thumb.key), thumb.name);
  }
}

function variant<Found extends FoundFile>(
  found: Found | undefined,
  name: string,
  thumbError: Error | null = null,
): FileVariant<Found> | undefined {
  return found && { found, name, thumbError };
}
