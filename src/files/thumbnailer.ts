import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Metadata, Sharp, SharpConstructor } from 'sharp';
import { ROOST_CONFIG, type RoostConfig, MONOTONIC_CLOCK } from '../config/roost-config.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { newTempPath, tempDirOf } from '../config/temp-files.js';
import type { Clock } from '../kernel/clock.js';
import { MAX_THUMB_SIDE, thumbSides, type ThumbSize } from '../kernel/files/thumb-size.js';
import { FILE_STORAGE, type FileStorage, type StoredFile } from '../storage/file-storage.js';
import { untilClosed } from '../storage/until-closed.js';
import { timerLength } from '../kernel/timer-length.js';
import { type EndTurn, TurnQueue } from '../kernel/turn-queue.js';
import { MemoryBudget } from './memory-budget.js';
import { refuseLargeExtras } from './image-extras.js';

/** A thumbnail to be made. */
export interface ThumbnailOrder {
  readonly original: StoredFile;
  /** Where it is kept. */
  readonly key: string;
  readonly size: ThumbSize;
  /** For whom it is made first, as `clientOf` says; '' for the application itself. */
  readonly client: string;
}

/** FS-85. */
const MAX_PIXELS = 100_000_000;

/**
 * What all images that are being decoded may take together, with their thumbnails. An image that takes more by itself,
 * and is no AVIF, is not processed: a progressive or interlaced one is in memory as a whole before its first line is known.
 */
const MAX_DECODED = 192 * 1024 * 1024;

/** What an image takes that is decoded line by line. */
const LINES = 16 * 1024 * 1024;

/**
 * What a pixel of an AVIF takes while it is decoded, in bytes, as it was measured, with 8 bits of each colour and with
 * more: its planes, those of the frames they are made of, and the picture in two forms.
 */
const AVIF_PIXEL = { narrow: 20, wide: 27 };

/** What one AVIF may take, 12 megapixels of 8 bits. One beyond the budget is decoded alone. */
const MAX_AVIF = 240 * 1024 * 1024;

/**
 * What a pixel of a thumbnail takes while it is written, in bytes, as it was measured: the codes of a JPEG are chosen when
 * all of it is known. A PNG is written line by line.
 */
const WRITTEN_PIXEL: Readonly<Record<string, number>> = { jpeg: 6, webp: 5, gif: 10, heif: 24 };

/** Larger images, in bytes, are read from disk. Several are made at once. */
const MAX_IN_MEMORY = 8 * 1024 * 1024;

/** Seconds one image may take. */
const TIMEOUT = 30;

/** Milliseconds to fetch an image from a remote storage, during which others wait. */
const FETCH_TIMEOUT = 60_000;

/** What failed is not tried again for so long (FS-84), in milliseconds. */
const RETRY_AFTER = 60_000;
const REMEMBERED_FAILURES = 10_000;

/** Makes thumbnails, each once however many ask for it, and a bounded number at a time (FS-85). */
@Injectable()
export class Thumbnailer {
  private readonly logger = new Logger('Files');
  private readonly running = new Map<string, Promise<void>>();
  private readonly failures = new LRUCache<string, { readonly error: Error; readonly until: number }>({
    max: REMEMBERED_FAILURES,
  });
  private readonly turns: TurnQueue;
  /** Milliseconds to wait in the queue. */
  private readonly patience: number;
  private readonly budget = new MemoryBudget(MAX_DECODED);

  constructor(
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(MONOTONIC_CLOCK) private readonly clock: Clock,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
  ) {
    this.turns = new TurnQueue(Math.max(1, config.thumbsMaxWorkers));
    this.patience = timerLength(config.thumbsMaxWait * 1000);
  }

  /** Makes and stores a thumbnail. Rejects when it cannot be made, for a minute without trying again. */
  make(order: ThumbnailOrder): Promise<void> {
    let making = this.running.get(order.key);
    if (!making) {
      making = this.makeOnce(order).finally(() => this.running.delete(order.key));
      this.running.set(order.key, making);
    }
    return making;
  }

  private async makeOnce(order: ThumbnailOrder): Promise<void> {
    const failure = this.failures.get(order.key);
    if (failure && failure.until > this.clock.now()) throw failure.error;
    let endTurn: EndTurn | undefined;
    try {
      endTurn =
        this.turns.tryAcquire(undefined, order.client) ??
        (await this.turns.acquire(AbortSignal.timeout(this.patience), order.client));
      await this.produceOnce(order);
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      // A timeout while waiting in the queue says nothing about the image.
      if (endTurn) this.failures.set(order.key, { error, until: this.clock.now() + RETRY_AFTER });
      const reason = endTurn ? error.message : 'it took too long until it was its turn.';
      this.logger.warn(`The thumbnail ${order.key} could not be made: ${reason}`);
      throw error;
    } finally {
      endTurn?.();
    }
  }

  /** Makes it once among all processes that serve the same files. */
  private async produceOnce(order: ThumbnailOrder): Promise<void> {
    if (this.link.isAlone) return this.produce(order);
    const release = await this.link.lock(`thumbnail ${order.key}`);
    try {
      if (!(await this.storage.stat(order.key))) await this.produce(order);
    } finally {
      release();
    }
  }

  private async produce({ original, key, size }: ThumbnailOrder): Promise<void> {
    const temp = newTempPath(this.config, 'thumb');
    const made = `${temp}-made`;
    await mkdir(tempDirOf(this.config), { recursive: true, mode: 0o700 });
    try {
      const image = await this.fetch(original, temp);
      const { taken, resize } = await prepare(image, size, original.size);
      await this.budget.run(taken, () => resize().toFile(made));
      await this.keep(original, key, made);
    } finally {
      await Promise.all([rm(temp, { force: true }), rm(made, { force: true })]);
    }
  }

  /** The image as bytes, or its path when it is large: then it takes no memory, and the decoder can seek in it. */
  private async fetch({ key, size }: StoredFile, path: string): Promise<Buffer | string> {
    const opened = await this.storage.open(key);
    if (!opened) throw new Error('The image is gone.');
    if (opened.path !== undefined) {
      opened.stream.destroy();
      return opened.path;
    }
    const { stream, content } = opened;
    const timer = setTimeout(() => stream.destroy(new Error('The image did not arrive in time.')), FETCH_TIMEOUT);
    try {
      if (size <= MAX_IN_MEMORY) return content ?? (await buffer(stream));
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
      await untilClosed(file, pipeline(stream, file));
      return path;
    } finally {
      clearTimeout(timer);
    }
  }

  private async keep(original: StoredFile, key: string, path: string): Promise<void> {
    const { size } = await stat(path);
    await this.storage.write(key, { path, size, contentType: original.contentType });
    // The image was deleted meanwhile, and its thumbnails with it.
    if (!(await this.storage.stat(original.key))) await this.storage.delete(key);
  }
}

/** Looks at the head of an image: how much memory its thumbnail takes, and how it is made. Throws when it cannot be. */
async function prepare(
  source: Buffer | string,
  size: ThumbSize,
  bytes: number,
): Promise<{ readonly taken: number; readonly resize: () => Sharp }> {
  await refuseLargeExtras(source);
  const sharp = await loadSharp();
  const image = sharp(source, { limitInputPixels: MAX_PIXELS });
  const metadata = await image.metadata();
  const { width, height } = thumbSides(size, metadata.autoOrient);
  if (Math.max(width, height) > MAX_THUMB_SIDE) throw new Error('The thumbnail would be too large.');
  const decoded = decodedBytes(metadata, bytes);
  if (decoded > (metadata.format === 'heif' ? MAX_AVIF : MAX_DECODED)) {
    throw new Error('The image takes too much memory.');
  }
  const written = width * height * (WRITTEN_PIXEL[metadata.format] ?? 0);
  return { taken: Math.min(decoded + written, MAX_DECODED), resize: () => resized(image, metadata.format, size) };
}

/** What decoding an image takes of which the file has so many bytes. */
function decodedBytes(metadata: Metadata, bytes: number): number {
  // A JPEG may have texts between its pixels, which are kept.
  return pixelBytes(metadata) + (metadata.format === 'jpeg' ? bytes : 0);
}

function pixelBytes({ width, height, channels, depth, format, isProgressive, orientation = 1 }: Metadata): number {
  const isLineByLine = (format === 'jpeg' || format === 'png') && isProgressive !== true && orientation === 1;
  if (isLineByLine) return LINES;
  if (format === 'heif') {
    return Math.max(LINES, width * height * (depth === 'uchar' ? AVIF_PIXEL.narrow : AVIF_PIXEL.wide));
  }
  // A progressive JPEG keeps two bytes for each sample until the last pass.
  const sample = format === 'jpeg' || depth === 'ushort' || depth === 'short' ? 2 : depth === 'uchar' ? 1 : 4;
  return Math.max(LINES, width * height * Math.max(channels, 3) * sample);
}

function resized(source: Sharp, format: string | undefined, size: ThumbSize): Sharp {
  const { width, height, fit, position, enlarge } = size;
  const image = source
    .autoOrient()
    .resize({ width, height, fit, position, withoutEnlargement: !enlarge })
    .timeout({ seconds: TIMEOUT });
  switch (format) {
    case 'jpeg':
      return image.jpeg({ quality: 90 });
    case 'png':
      return image.png();
    case 'gif':
      return image.gif();
    case 'webp':
      return image.webp({ quality: 85 });
    case 'heif':
      return image.avif({ quality: 60 });
    default:
      throw new Error(`Images of the format ${format} are not resized.`);
  }
}

/** Loaded with the first thumbnail, because many installations have no images. */
async function loadSharp(): Promise<SharpConstructor> {
  const { default: sharp } = await import('sharp');
  // Images are never seen twice, and several are made side by side already.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}
