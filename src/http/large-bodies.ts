import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { TooManyRequestsError } from '../kernel/errors/too-many-requests.error.js';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';

/** What is longer waits on disk until all of it has come, and for its turn to be read. */
export const LARGE_BODY = 256 * 1024;

/** Bytes of large bodies that are worked on at the same time. One that is larger by itself has its turn alone. */
const ROOM = 32 * 1024 * 1024;

/** Milliseconds after which a body that has no turn is refused. */
const PATIENCE = 30_000;

interface Waiting {
  readonly size: number;
  readonly enter: () => void;
}

/**
 * Large bodies that are kept in memory as a whole, and what is made of them, which is a multiple of their length. While
 * they come in, which takes as long as the client likes, they are on disk; then they take turns, in order of arrival,
 * so that no number of them takes more memory than a few (OPS-39).
 */
@Injectable()
export class LargeBodies {
  private readonly tempDir: string;
  private free = ROOM;
  private readonly queue: Waiting[] = [];

  constructor(@Inject(ROOST_CONFIG) config: RoostConfig) {
    this.tempDir = join(config.dir, '.temp');
  }

  /** A new name for a file in which a body is kept while it arrives. */
  newPath(): string {
    mkdirSync(this.tempDir, { recursive: true, mode: 0o700 });
    return join(this.tempDir, `body-${randomText(20, LOWER_ALPHANUMERIC)}`);
  }

  /** The bytes of such a file, which is removed. */
  async take(path: string): Promise<Buffer> {
    try {
      return await readFile(path);
    } finally {
      await this.remove(path);
    }
  }

  remove(path: string): Promise<void> {
    return rm(path, { force: true });
  }

  /** Waits for room; gives what ends the turn, which may be called twice. Throws 429 when there is none for too long. */
  async enter(length: number): Promise<() => void> {
    const size = Math.min(length, ROOM);
    if (this.queue.length > 0 || size > this.free) await this.wait(size);
    else this.free -= size;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.free += size;
      this.admit();
    };
  }

  private wait(size: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        size,
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        this.admit();
        reject(new TooManyRequestsError(PATIENCE / 1000));
      }, PATIENCE);
      this.queue.push(waiting);
    });
  }

  private admit(): void {
    for (let [first] = this.queue; first && first.size <= this.free; [first] = this.queue) {
      this.queue.shift();
      this.free -= first.size;
      first.enter();
    }
  }
}
