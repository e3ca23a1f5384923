import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HookRegistry } from '../hooks/hook-registry.js';
import { clientOf } from '../http/request/client-ip.js';
import { queryValue } from '../http/request/query-value.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { addVary } from '../http/adapter/vary.js';
import { type ByteRange, FILE_STORAGE, type FileStorage } from '../storage/file-storage.js';
import { parseRange } from '../storage/byte-range.js';
import { fileNotFound, FileAccess, type GrantedFile } from './file-access.js';
import { cacheHeaders, contentHeaders, entityTag, type Presentation } from './file-headers.js';
import { BeforeFileDownload, type FileDownloadEvent } from './file.hooks.js';
import { allowsRange, isFresh } from './preconditions.js';
import { RangeNotSatisfiableError } from '../kernel/errors/range-not-satisfiable.error.js';
import { type FileLookup, type FileVariant, type FoundFile, Thumbnails } from './thumbnails.js';

/** Values of `download` that force a download (FS-68). */
const YES: ReadonlySet<string | undefined> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Headers of requests that may want less than the whole file. */
const SELECTIVE_HEADERS = ['range', 'if-none-match', 'if-modified-since'] as const;

/** Answers requests for files: who may, which one, and how it is sent (FS-55 to FS-75). */
@Injectable()
export class FileDownloadService {
  constructor(
    private readonly access: FileAccess,
    private readonly thumbnails: Thumbnails,
    private readonly hooks: HookRegistry,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {}

  /** Sends a file, a part of it, or a 304. Throws 404 or 416. */
  async send(request: RoostRequest, reply: FastifyReply): Promise<void> {
    const { collection, recordId, fileName } = request.params as Readonly<
      Record<'collection' | 'recordId' | 'fileName', string>
    >;
    const token = queryValue(request.query, 'token') ?? '';
    const granted = await this.access.require({ collection, recordId, fileName, token, caller: request.caller });
    const size = queryValue(request.query, 'thumb') ?? '';
    const look = this.lookupFor(request);
    const wanted = { key: granted.key, field: granted.field, size, client: clientOf(request.caller.ip) };
    const variant = await this.thumbnails.find(wanted, look);
    if (!variant) throw fileNotFound();
    const { event, found } = await this.announce(granted, variant, look);
    const presentation: Presentation = {
      name: event.name,
      download: YES.has(queryValue(request.query, 'download')),
      isPublic: granted.isPublic,
      isSubstitute: variant.thumbError !== null,
    };
    await this.respond(request, reply, { found, presentation, headers: event.headers });
  }

  /** A request for the whole file opens it at once; for a condition or a range its metadata are needed first. */
  private lookupFor({ method, headers }: RoostRequest): FileLookup<FoundFile> {
    const wantsAll = method === 'GET' && SELECTIVE_HEADERS.every((name) => headers[name] === undefined);
    if (wantsAll) return (key) => this.storage.open(key);
    return async (key) => {
      const file = await this.storage.stat(key);
      return file && { file };
    };
  }

  /** Calls the hooks, which may choose another file. */
  private async announce(
    granted: GrantedFile,
    { found, name, thumbError }: FileVariant,
    look: FileLookup<FoundFile>,
  ): Promise<{ event: FileDownloadEvent; found: FoundFile }> {
    const { collection, record, field, caller } = granted;
    const event = { collection, record, field, caller, thumbError, key: found.file.key, name, headers: {} };
    try {
      await this.hooks.run(BeforeFileDownload, event, collection);
    } catch (error) {
      letGo(found);
      throw error;
    }
    if (event.key === found.file.key) return { event, found };
    letGo(found);
    const other = await look(event.key);
    if (!other) throw fileNotFound();
    return { event, found: other };
  }

  private async respond(
    request: RoostRequest,
    reply: FastifyReply,
    { found, presentation, headers }: { found: FoundFile; presentation: Presentation; headers: Record<string, string> },
  ): Promise<void> {
    const { file } = found;
    const validators = { etag: entityTag(file.key), modified: file.modified };
    const caching = cacheHeaders(validators, presentation);
    if (!presentation.isPublic) addVary(reply, 'Authorization');
    if (isFresh(request.headers, validators)) {
      void reply
        .code(304)
        .headers({ ...caching, ...headers })
        .send(request.method === 'HEAD' ? Readable.from([]) : undefined);
      return;
    }
    const asked = allowsRange(request.headers, validators) ? request.headers.range : undefined;
    const part = parseRange(asked, file.size);
    if (part === 'unsatisfiable') throw new RangeNotSatisfiableError(file.size);
    const range = part === 'whole' ? undefined : part;
    const content = request.method === 'HEAD' ? Readable.from([]) : await this.contentOf(found, range);
    void reply
      .code(range ? 206 : 200)
      .headers({ ...caching, ...contentHeaders(file, presentation, range), ...headers })
      .send(content);
  }

  private async contentOf(found: FoundFile, range: ByteRange | undefined): Promise<Buffer | Readable> {
    const opened = 'stream' in found ? found : await this.storage.open(found.file.key, range);
    if (!opened) throw fileNotFound();
    return opened.content ?? opened.stream;
  }
}

function letGo(found: FoundFile): void {
  if ('stream' in found) found.stream.destroy();
}
