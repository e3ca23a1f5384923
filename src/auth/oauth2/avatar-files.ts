import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import type { FieldDefinition } from '../../kernel/fields/field-definition.js';
import { DEFAULT_MAX_SIZE } from '../../kernel/fields/file-field.js';
import { storedFileName, withoutDirectory } from '../../kernel/files/file-name.js';
import { detectMimeType } from '../../kernel/files/mime-type.js';
import type { Upload } from '../../kernel/files/upload.js';
import { LOWER_ALPHANUMERIC, randomText } from '../../kernel/ids.js';
import { AvatarDownloader } from './avatar-downloader.js';

/** Turns the picture a provider points at into an upload, as if its owner had sent it. */
@Injectable()
export class AvatarFiles {
  private readonly tempDir: string;

  constructor(
    private readonly downloader: AvatarDownloader,
    @Inject(ROOST_CONFIG) config: RoostConfig,
  ) {
    this.tempDir = join(config.dir, '.temp');
  }

  /** Throws when the picture cannot be had or is larger than the field takes. */
  async fetch(url: string, field: FieldDefinition): Promise<Upload> {
    const content = await this.downloader.download(url, Number(field['maxSize']) || DEFAULT_MAX_SIZE);
    const mimeType = await detectMimeType(content);
    const originalName = withoutDirectory(new URL(url).pathname) || 'avatar';
    const path = join(this.tempDir, randomText(20, LOWER_ALPHANUMERIC));
    await mkdir(this.tempDir, { recursive: true });
    await writeFile(path, content, { mode: 0o600 });
    return {
      originalName,
      name: storedFileName(originalName, mimeType),
      size: content.length,
      truncated: false,
      mimeType,
      md5: createHash('md5').update(content).digest('base64'),
      path,
    };
  }

  /** Removes the temporary file, if nobody has moved it. */
  async dispose({ path }: Upload): Promise<void> {
    await rm(path, { force: true });
  }
}
