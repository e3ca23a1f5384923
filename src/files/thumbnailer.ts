import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig, MONOTONIC_CLOCK } from '../config/roost-config.js';
import { INSTANCE_LINK, type InstanceLink } from '../instances/instance-link.js';
import { newTempPath, tempDirOf } from '../config/temp-files.js';
import type { Clock } from '../kernel/clock.js';
import type { ThumbSize } from '../kernel/files/thumb-size.js';
import { FILE_STORAGE, type FileStorage, type StoredFile } from '../storage/file-storage.js';
import { untilClosed } from '../storage/until-closed.js';
import { timerLength } from '../kernel/timer-length.js';
import { type EndTurn, TurnQueue } from '../kernel/turn-queue.js';
import { MemoryBudget } from './memory-budget.js';
import { refuseLargeExtras } from './image-extras.js';
import { MAX_DECODED, thumbnailBytes } from './image-memory.js';
import { ImageProcess } from './image-process.js';
import { lruCache } from '../kernel/lru-cache.js';

/** A thumbnail to be made. */
export interface ThumbnailOrder {
  readonly original: StoredFile;
  /** Where it is kept. */
  readonly key: string;
  readonly size: ThumbSize;
  /** For whom it is made first, as `clientOf` says; '' for the application itself. */
  readonly client: string;
}

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
  private readonly failures = lruCache<string, { readonly error: Error; readonly until: number }>(REMEMBERED_FAILURES);
  private readonly turns: TurnQueue;
  /** Milliseconds to wait in the queue. */
  private readonly patience: number;
  private readonly budget = new MemoryBudget(MAX_DECODED);

  constructor(
    private readonly images: ImageProcess,
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
      const path = await this.fetch(original, temp);
      await refuseLargeExtras(path);
      const image = await this.images.look(path);
      const taken = thumbnailBytes(image, original.size, size);
      await this.budget.run(taken, () => this.images.resize({ path, to: made, format: image.format, size }));
      await this.keep(original, key, made);
    } finally {
      await Promise.all([rm(temp, { force: true }), rm(made, { force: true })]);
    }
  }

  /** A path of the image: its own, or that of a copy. */
  private async fetch({ key }: StoredFile, copy: string): Promise<string> {
    const opened = await this.storage.open(key);
    if (!opened) throw new Error('The image is gone.');
    const { path, stream } = opened;
    if (path !== undefined) {
      stream.destroy();
      return path;
    }
    const timer = setTimeout(() => stream.destroy(new Error('The image did not arrive in time.')), FETCH_TIMEOUT);
    try {
      const file = createWriteStream(copy, { flags: 'wx', mode: 0o600 });
      await untilClosed(file, pipeline(stream, file));
      return copy;
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
