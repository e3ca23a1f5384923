import { Inject, Injectable } from '@nestjs/common';
import type { FileDefinition } from '../kernel/fields/file-field.js';
import { hasThumbs, offersThumbSize, parseThumbSize } from '../kernel/files/thumb-size.js';
import { thumbKey } from '../storage/file-keys.js';
import { FILE_STORAGE, type FileStorage, type StoredFile } from '../storage/file-storage.js';
import { Thumbnailer } from './thumbnailer.js';

/** What is sent for a file: itself, or one of its thumbnails. */
export interface FileVariant {
  readonly file: StoredFile;
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
   * does not offer the size, the file is no image, or making it failed. Undefined when the file is not there.
   */
  async find(key: string, field: FileDefinition, size: string): Promise<FileVariant | undefined> {
    const name = key.slice(key.lastIndexOf('/') + 1);
    const wanted = offersThumbSize(field.thumbs, size) ? parseThumbSize(size) : undefined;
    if (!wanted) return this.original(key, name);
    const thumb = { key: thumbKey(key, size), name: `${size}_${name}` };
    const present = await this.storage.stat(thumb.key);
    if (present) return { file: present, name: thumb.name, thumbError: null };
    const original = await this.original(key, name);
    if (!original || !hasThumbs(original.file.contentType)) return original;
    try {
      const file = await this.thumbnailer.make({ original: original.file, key: thumb.key, size: wanted });
      return { file, name: thumb.name, thumbError: null };
    } catch (error) {
      return { ...original, thumbError: error as Error };
    }
  }

  private async original(key: string, name: string): Promise<FileVariant | undefined> {
    const file = await this.storage.stat(key);
    return file && { file, name, thumbError: null };
  }
}
