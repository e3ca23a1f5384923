import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { newTempPath, tempDirOf } from '../config/temp-files.js';
import { storedFileName, withoutDirectory } from '../kernel/files/file-name.js';
import { detectMimeType } from '../kernel/files/mime-type.js';
import type { Upload } from '../kernel/files/upload.js';

/** What a file may be made of: bytes, a Buffer among them, or a Blob or File. */
export type FileContent = Uint8Array | Blob;

export function isFileContent(value: unknown): value is FileContent {
  return value instanceof Uint8Array || value instanceof Blob;
}

/** Makes uploads of content that did not come with a request. */
@Injectable()
export class Uploads {
  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /** Puts content on disk as an upload of this name. Whoever asked must `dispose` of it when it is not needed. */
  async create(given: FileContent, originalName: string): Promise<Upload> {
    const content = given instanceof Blob ? new Uint8Array(await given.arrayBuffer()) : given;
    const mimeType = await detectMimeType(content);
    const path = newTempPath(this.config, 'upload');
    await mkdir(tempDirOf(this.config), { recursive: true, mode: 0o700 });
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return {
      originalName: withoutDirectory(originalName),
      name: storedFileName(originalName, mimeType),
      size: content.length,
      truncated: false,
      mimeType,
      md5: createHash('md5').update(content).digest('base64'),
      path,
    };
  }

  /** Removes the content, unless it was stored and is somewhere else by now. */
  async dispose({ path }: Upload): Promise<void> {
    await rm(path, { force: true });
  }
}
