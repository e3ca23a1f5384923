import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HookRegistry } from '../hooks/hook-registry.js';
import { queryValue } from '../http/query-value.js';
import type { RoostRequest } from '../http/roost-request.js';
import { FILE_STORAGE, type FileStorage, type StoredFile } from '../storage/file-storage.js';
import { parseRange } from '../storage/byte-range.js';
import { fileNotFound, FileAccess, type GrantedFile } from './file-access.js';
import { cacheHeaders, contentHeaders, entityTag, type Presentation } from './file-headers.js';
import { BeforeFileDownload, type FileDownloadEvent } from './file.hooks.js';
import { allowsRange, isFresh } from './preconditions.js';
import { RangeNotSatisfiableError } from '../kernel/errors/range-not-satisfiable.error.js';
import { type FileVariant, Thumbnails } from './thumbnails.js';

/** Values of `download` that force a download (FS-68). */
const YES: ReadonlySet<string | undefined> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Answers requests for files: who may, which one, and how it is sent (FS-55 to FS-75). */
@Injectable()
export class FileDownloadService {
  constructor(
    private readonly access: FileAccess,
    private readonly thumbnails: Thumbnails,
    private readonly hooks: HookRegistry,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {}

  /** Sends a file, a part of it, or the news that the client has it already. Throws 404 or 416. */
  async send(request: RoostRequest, reply: FastifyReply): Promise<void> {
    const { recordId, fileName } = request.params as { recordId: string; fileName: string };
    const token = queryValue(request.query, 'token') ?? '';
    const collection = request.collection!;
    const granted = await this.access.require({ collection, recordId, fileName, token, caller: request.caller });
    const size = queryValue(request.query, 'thumb') ?? '';
    const variant = await this.thumbnails.find(granted.key, granted.field, size);
    if (!variant) throw fileNotFound();
    const event = await this.announce(granted, variant);
    const file = event.key === variant.file.key ? variant.file : await this.storage.stat(event.key);
    if (!file) throw fileNotFound();
    const presentation: Presentation = {
      name: event.name,
      download: YES.has(queryValue(request.query, 'download')),
      isPublic: granted.isPublic,
      isSubstitute: variant.thumbError !== null,
    };
    await this.respond(request, reply, { file, presentation, headers: event.headers });
  }

  private async announce(granted: GrantedFile, { file, name, thumbError }: FileVariant): Promise<FileDownloadEvent> {
    const { collection, record, field, caller } = granted;
    const event = { collection, record, field, caller, thumbError, key: file.key, name, headers: {} };
    await this.hooks.run(BeforeFileDownload, event, collection);
    return event;
  }

  private async respond(
    request: RoostRequest,
    reply: FastifyReply,
    { file, presentation, headers }: { file: StoredFile; presentation: Presentation; headers: Record<string, string> },
  ): Promise<void> {
    const validators = { etag: entityTag(file.key), modified: file.modified };
    const caching = cacheHeaders(file, presentation);
    if (!presentation.isPublic) caching['vary'] = [reply.getHeader('vary'), 'Authorization'].flat().join(', ');
    if (isFresh(request.headers, validators)) {
      void reply
        .code(304)
        .removeHeader('x-frame-options')
        .headers({ ...caching, ...headers })
        .send();
      return;
    }
    const asked = allowsRange(request.headers, validators) ? request.headers.range : undefined;
    const part = parseRange(asked, file.size);
    if (part === 'unsatisfiable') throw new RangeNotSatisfiableError(file.size);
    const range = part === 'whole' ? undefined : part;
    const content = request.method === 'HEAD' ? Readable.from([]) : (await this.storage.open(file.key, range))?.stream;
    if (!content) throw fileNotFound();
    void reply
      .code(range ? 206 : 200)
      .removeHeader('x-frame-options')
      .headers({ ...caching, ...contentHeaders(file, presentation, range), ...headers })
      .send(content);
  }
}
