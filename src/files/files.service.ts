import { Inject, Injectable } from '@nestjs/common';
import type { Upload } from '../kernel/files/upload.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { SettingsService } from '../settings/settings.service.js';
import { fileKey } from '../storage/file-keys.js';
import { FILE_STORAGE, type FileStorage, type OpenedFile } from '../storage/file-storage.js';
import { type FileContent, Uploads } from '../storage/uploads.js';
import { fieldWithFile } from './file-field.js';
import { Thumbnails } from './thumbnails.js';

/** How a URL of a file is meant. */
export interface FileUrlOptions {
  readonly thumb?: string;
  readonly token?: string;
  readonly download?: boolean;
}

/** Files of records, for the code of modules: with full rights, no rule is asked. */
@Injectable()
export class FilesService {
  constructor(
    private readonly settings: SettingsService,
    private readonly thumbnails: Thumbnails,
    private readonly uploads: Uploads,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {}

  /**
   * Opens a file whose name stands in a file field of a record, or a thumbnail of it as the endpoint would choose it.
   * Undefined when there is no such file. Whoever opens it reads the stream to its end or destroys it.
   */
  async read(
    record: RecordModel,
    fileName: string,
    options: { readonly thumb?: string } = {},
  ): Promise<OpenedFile | undefined> {
    const field = fieldWithFile(record, fileName);
    if (!field) return undefined;
    const key = fileKey(record.collection.id, record.id, fileName);
    const order = { key, field, size: options.thumb ?? '', client: '' };
    return (await this.thumbnails.find(order, (each) => this.storage.open(each)))?.found;
  }

  /**
   * Makes a file that `RecordsService.create` and `update` take: `{ files: new Map([['cover', [upload]]]) }`. It lies
   * among the temporary files until a record takes it, and is gone after a restart. A record takes it once: what is
   * tried again needs another one, or the content among the values, `{ cover: content }`.
   */
  write(content: FileContent, fileName: string): Promise<Upload> {
    return this.uploads.create(content, fileName);
  }

  /** The address of a file, below the application's URL. */
  url(record: RecordModel, fileName: string, { thumb, token, download }: FileUrlOptions = {}): string {
    const query = new URLSearchParams();
    if (thumb) query.set('thumb', thumb);
    if (token) query.set('token', token);
    if (download) query.set('download', '1');
    const base = this.settings.get().meta.appURL.replace(/\/+$/, '');
    const path = [record.collection.id, record.id, fileName].map(encodeURIComponent).join('/');
    return `${base}/api/files/${path}${query.size > 0 ? `?${query}` : ''}`;
  }
}
