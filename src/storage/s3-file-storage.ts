import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from '../settings/settings.js';
import { requireSafeFolder, requireSafeKey } from './file-keys.js';
import type { ByteRange, FileStorage, ListedFile, NewFile, OpenedFile, StoredFile } from './file-storage.js';
import { createS3Client, loadS3Library, S3_TIMEOUTS, type S3Library, type S3Timeouts } from './s3-client.js';

/** Files up to this size are sent in one piece, larger ones in parts of at least this size (FS-47). */
const PART_SIZE = 6 * 1024 * 1024;
const PARTS_AT_ONCE = 5;
/** A limit of the protocol. */
const MAX_PARTS = 10_000;

/** Another limit of the protocol: keys deleted with one request. */
const DELETE_AT_ONCE = 1000;
const SINGLE_DELETES_AT_ONCE = 10;

/** Statuses by which a store says that it does not know how to delete several keys at once. */
const BULK_REFUSALS: ReadonlySet<number> = new Set([400, 403, 405, 411, 415, 501]);

const ORIGINAL_NAME = 'original-filename';

/** Files in a bucket of an S3-compatible store (FS-45 to FS-49). */
export class S3FileStorage implements FileStorage {
  private connection: Promise<Connection> | undefined;
  private refusesBulkDeletes = false;

  constructor(
    private readonly settings: S3Settings,
    private readonly timeouts: S3Timeouts = S3_TIMEOUTS,
  ) {}

  async write(key: string, file: NewFile): Promise<void> {
    requireSafeKey(key);
    const { client, library } = await this.connect();
    const params = {
      Bucket: this.settings.bucket,
      Key: key,
      ContentType: file.contentType,
      Metadata:
        file.originalName === undefined ? undefined : { [ORIGINAL_NAME]: encodeURIComponent(file.originalName) },
    };
    if (file.size <= PART_SIZE) {
      const Body = await readFile(file.path);
      requireTag(await client.send(new library.sdk.PutObjectCommand({ ...params, Body, ContentMD5: file.md5 })));
      return;
    }
    const body = createReadStream(file.path, { highWaterMark: 1024 * 1024 });
    try {
      const upload = new library.Upload({
        client,
        params: { ...params, Body: body },
        partSize: Math.max(PART_SIZE, Math.ceil(file.size / MAX_PARTS)),
        queueSize: PARTS_AT_ONCE,
      });
      requireTag(await upload.done());
    } finally {
      body.destroy();
    }
  }

  async open(key: string, range?: ByteRange): Promise<OpenedFile | undefined> {
    requireSafeKey(key);
    const { client, library } = await this.connect();
    const Range = range && `bytes=${range.start}-${range.end}`;
    const command = new library.sdk.GetObjectCommand({ Bucket: this.settings.bucket, Key: key, Range });
    const answer = await client.send(command).catch(unlessNoObject);
    if (!answer) return undefined;
    const stream = answer.Body as Readable;
    try {
      requireLength(answer, range);
      return { file: toStoredFile(key, answer), stream };
    } catch (error) {
      stream.destroy();
      throw error;
    }
  }

  async stat(key: string): Promise<StoredFile | undefined> {
    requireSafeKey(key);
    const { client, library } = await this.connect();
    const command = new library.sdk.HeadObjectCommand({ Bucket: this.settings.bucket, Key: key });
    const answer = await client.send(command).catch(unlessNoObject).catch(nameStatus);
    return answer && toStoredFile(key, answer);
  }

  list(folder: string): AsyncIterable<ListedFile> {
    return this.listed(folder);
  }

  listDirect(folder: string): AsyncIterable<ListedFile> {
    return this.listed(folder, '/');
  }

  async delete(key: string): Promise<void> {
    requireSafeKey(key);
    const { client, library } = await this.connect();
    await client.send(new library.sdk.DeleteObjectCommand({ Bucket: this.settings.bucket, Key: key }));
  }

  async deleteFolder(folder: string): Promise<void> {
    requireSafeFolder(folder);
    let keys: string[] = [];
    for await (const { key } of this.list(folder)) {
      keys.push(key);
      if (keys.length < DELETE_AT_ONCE) continue;
      await this.deleteAll(keys);
      keys = [];
    }
    if (keys.length > 0) await this.deleteAll(keys);
  }

  async copy(from: string, to: string): Promise<void> {
    requireSafeKey(from);
    requireSafeKey(to);
    const { client, library } = await this.connect();
    const { bucket } = this.settings;
    const CopySource = [bucket, ...from.split('/')].map(encodeURIComponent).join('/');
    const answer = await client.send(new library.sdk.CopyObjectCommand({ Bucket: bucket, Key: to, CopySource }));
    requireTag(answer.CopyObjectResult);
  }

  /** Lets go of idle connections. Requests that run are cut off. */
  async close(): Promise<void> {
    const connection = this.connection;
    this.connection = undefined;
    (await connection?.catch(() => undefined))?.client.destroy();
  }

  /** With a delimiter, what is further below is not even looked at by the store. */
  private async *listed(folder: string, delimiter?: string): AsyncIterable<ListedFile> {
    if (folder !== '') requireSafeFolder(folder);
    const { client, library } = await this.connect();
    const asked = { Bucket: this.settings.bucket, Prefix: folder, Delimiter: delimiter };
    const pages = library.sdk.paginateListObjectsV2({ client }, asked);
    let last: string | undefined;
    for await (const { Contents: objects = [], NextContinuationToken: next } of pages) {
      for (const { Key: key = '', Size: size = 0, LastModified: modified = new Date(0) } of objects) {
        // Some tools mark folders with an empty object.
        if (!key.endsWith('/')) yield { key, size, modified };
      }
      if (next !== undefined && next === last) throw new Error('The store does not get on in its list.');
      last = next;
    }
  }

  private async deleteAll(keys: readonly string[]): Promise<void> {
    if (!this.refusesBulkDeletes && (await this.deleteTogether(keys))) return;
    const remaining = [...keys];
    const worker = async () => {
      for (let key = remaining.pop(); key !== undefined; key = remaining.pop()) await this.delete(key);
    };
    await Promise.all(Array.from({ length: SINGLE_DELETES_AT_ONCE }, worker));
  }

  /** False when the store refuses to do it. */
  private async deleteTogether(keys: readonly string[]): Promise<boolean> {
    const { client, library } = await this.connect();
    const objects = { Objects: keys.map((key) => ({ Key: key })), Quiet: true };
    try {
      const command = new library.sdk.DeleteObjectsCommand({ Bucket: this.settings.bucket, Delete: objects });
      const { Errors: errors = [] } = await client.send(command);
      if (errors.length === 0) return true;
      throw new Error(`${errors.length} files could not be deleted, the first: ${errors[0].Message ?? errors[0].Code}`);
    } catch (error) {
      if (!BULK_REFUSALS.has(statusOf(error))) throw error;
      this.refusesBulkDeletes = true;
      return false;
    }
  }

  private connect(): Promise<Connection> {
    this.connection ??= loadS3Library().then((library) => ({
      library,
      client: createS3Client(library, this.settings, this.timeouts),
    }));
    return this.connection;
  }
}

interface Connection {
  readonly library: S3Library;
  readonly client: S3Client;
}

/** What the answers to GET and HEAD have in common. */
interface ObjectHeaders {
  readonly ContentLength?: number;
  readonly ContentRange?: string;
  readonly ContentType?: string;
  readonly LastModified?: Date;
  readonly ETag?: string;
  readonly Metadata?: Readonly<Record<string, string>>;
}

function toStoredFile(key: string, headers: ObjectHeaders): StoredFile {
  return {
    key,
    size: sizeOf(headers),
    modified: headers.LastModified ?? new Date(0),
    contentType: headers.ContentType ?? 'application/octet-stream',
    originalName: decode(headers.Metadata?.[ORIGINAL_NAME]),
    md5: md5Of(headers.ETag),
  };
}

/**
 * Checks that the answer has an ETag, as every store sends one. Without it the answer comes from something in between,
 * such as a proxy.
 */
function requireTag(answer: { readonly ETag?: string } | undefined): void {
  if (answer?.ETag === undefined) throw new Error('The store did not say that it has stored the file.');
}

/** The size of a file. An answer without a length is none of a store and would pass as an empty file. */
function sizeOf({ ContentLength: length, ContentRange: range }: ObjectHeaders): number {
  const size = Number(range?.split('/')[1] ?? length);
  if (Number.isNaN(size)) throw new Error('The store did not say how long the file is.');
  return size;
}

/** Checks the announced length of a part. A store that does not support ranges would send the whole file instead. */
function requireLength({ ContentLength: length, ContentRange: sent }: ObjectHeaders, range?: ByteRange): void {
  if (length === undefined) throw new Error('The store did not say how long the file is.');
  if (range ? length !== range.end - range.start + 1 : sent !== undefined) {
    throw new Error('The store sent another part of the file than it was asked for.');
  }
}

/** The tag of a file that was sent in one piece is the MD5 of its content, in hexadecimal. */
function md5Of(tag: string | undefined): string | undefined {
  const [, hex] = /^"?([0-9a-f]{32})"?$/.exec(tag ?? '') ?? [];
  return hex && Buffer.from(hex, 'hex').toString('base64');
}

/** Headers are ASCII, so names travel percent-encoded. One that does not look like it came from elsewhere. */
function decode(name: string | undefined): string | undefined {
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}

function unlessNoObject(error: unknown): undefined {
  const { name } = error as Error;
  if (name === 'NoSuchKey' || name === 'NotFound') return undefined;
  throw error;
}

/** Adds the status to the error of a HEAD request, which has no body and so no reason. */
function nameStatus(error: unknown): never {
  const status = statusOf(error);
  if (status === 0) throw error;
  throw new Error(`the store answered ${status}`, { cause: error });
}

function statusOf(error: unknown): number {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
}
