import { Injectable } from '@nestjs/common';
import type { FieldDefinition } from '../../kernel/fields/field-definition.js';
import { DEFAULT_MAX_SIZE } from '../../kernel/fields/file-field.js';
import { withoutDirectory } from '../../kernel/files/file-name.js';
import type { Upload } from '../../kernel/files/upload.js';
import { Uploads } from '../../storage/uploads.js';
import { AvatarDownloader } from './avatar-downloader.js';

/** Turns the picture a provider points at into an upload, as if its owner had sent it. */
@Injectable()
export class AvatarFiles {
  constructor(
    private readonly downloader: AvatarDownloader,
    private readonly uploads: Uploads,
  ) {}

  /** Throws when the picture cannot be had or is larger than the field takes. */
  async fetch(url: string, field: FieldDefinition): Promise<Upload> {
    const content = await this.downloader.download(url, Number(field['maxSize']) || DEFAULT_MAX_SIZE);
    return this.uploads.create(content, withoutDirectory(new URL(url).pathname) || 'avatar');
  }

  /** Removes the temporary file, if nobody has moved it. */
  dispose(upload: Upload): Promise<void> {
    return this.uploads.dispose(upload);
  }
}
