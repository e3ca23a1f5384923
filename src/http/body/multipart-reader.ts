import { open } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import { tempDirOf, tempPrefixOf } from '../../config/temp-files.js';
import type { ByteSource } from '../../kernel/files/byte-source.js';
import { storedFileName } from '../../kernel/files/file-name.js';
import { detectMimeType } from '../../kernel/files/mime-type.js';
import type { Upload } from '../../kernel/files/upload.js';
import type { BodyLimits } from './body-limit.js';
import { clientOf } from '../request/client-ip.js';
import { LargeBodies } from './large-bodies.js';
import { type FilePart, type FormFile, MultipartForm } from './multipart-form.js';
import type { RequestBody } from './request-body.js';
import type { RoostRequest } from '../request/roost-request.js';

/** Reads multipart bodies into the data directory's `.temp`, within the limits of the route. */
@Injectable()
export class MultipartReader {
  private readonly timeout: number;

  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    private readonly largeBodies: LargeBodies,
  ) {
    this.timeout = config.bodyTimeout * 1000;
  }

  /** Throws like `MultipartForm.read`; the rest of the body is then drained unseen, so that the answer can be read. */
  async read(request: RoostRequest, limits: BodyLimits): Promise<RequestBody> {
    const client = clientOf(request.caller.ip);
    try {
      const form = await MultipartForm.read(request.raw, {
        contentType: request.raw.headers['content-type'] ?? '',
        tempDir: tempDirOf(this.config),
        tempPrefix: tempPrefixOf(this.config),
        maxBytes: limits.maxBytes,
        timeout: limits.timeout ?? this.timeout,
        bytesToKeep: countedBy(limits),
        identify,
        json: limits.json,
        client,
        arriving: this.largeBodies.arriving,
        enter: (length) => this.largeBodies.enter(length, client),
      });
      return { values: form.values, files: byKey(form.files), dispose: () => form.dispose() };
    } catch (error) {
      request.raw.resume();
      throw error;
    }
  }
}

/** How much to keep of each part, and nothing of those beyond the count of their key. */
function countedBy(limits: BodyLimits): (key: string) => number | undefined {
  const counts = new Map<string, number>();
  return (key) => {
    const part = limits.part(key);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return part && count <= part.maxFiles ? part.maxBytes : undefined;
  };
}

function byKey(received: readonly FormFile[]): ReadonlyMap<string, readonly Upload[]> {
  const files = new Map<string, Upload[]>();
  for (const { key, upload } of received) files.set(key, [...(files.get(key) ?? []), upload]);
  return files;
}

async function identify(part: FilePart): Promise<Pick<Upload, 'name' | 'mimeType'>> {
  const mimeType = await sniff(part);
  return { mimeType, name: storedFileName(part.originalName, mimeType) };
}

/** The head tells most types; containers are looked into on disk. */
async function sniff({ head, size, path }: FilePart): Promise<string> {
  if (size <= head.length) return detectMimeType(head);
  const file = await open(path, 'r');
  try {
    const { size: stored } = await file.stat();
    const source: ByteSource = {
      size: stored,
      read: async (offset, length) => {
        if (offset + length <= head.length) return head.subarray(offset, offset + length);
        const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, offset);
        return buffer.subarray(0, bytesRead);
      },
    };
    return await detectMimeType(source);
  } finally {
    await file.close();
  }
}
