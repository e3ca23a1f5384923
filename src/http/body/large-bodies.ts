import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import { newTempPath, tempDirOf } from '../../config/temp-files.js';
import { TooManyRequestsError } from '../../kernel/errors/too-many-requests.error.js';
import { ArrivingBytes } from './arriving-bytes.js';

/** What is longer waits on disk until all of it has come, and for its turn to be read. */
export const LARGE_BODY = 256 * 1024;

/** Bytes that large bodies may take together once parsed. One that may take more is parsed alone. */
const ROOM = 32 * 1024 * 1024;

/** How many bytes each of a body may become: lists in lists, which are the most. Texts are twice their length. */
const GROWTH = 30;

/** Milliseconds after which a body that has no turn is refused. */
const PATIENCE = 30_000;

interface Waiting {
  readonly client: string;
  readonly size: number;
  readonly enter: () => void;
}

/**
 * Large bodies that are kept in memory as a whole, and what is made of them, which is a multiple of their length. While
 * they come in, which takes as long as the client likes, they are on disk; then they take turns, in order of arrival
 * among those of one client, and the clients by turns as well, so that no number of them takes more memory than a few
 * (OPS-39).
 */
@Injectable()
export class LargeBodies {
  /** What is in memory of those that are not large, or not yet. */
  readonly arriving = new ArrivingBytes();
  private free = ROOM;
  /** Of each client that waits, in order of arrival; the client whose turn is next comes first. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /** A new name for a file in which a body is kept while it arrives. */
  newPath(): string {
    mkdirSync(tempDirOf(this.config), { recursive: true, mode: 0o700 });
    return newTempPath(this.config, 'body');
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

  /**
   * Waits for room; gives what ends the turn, which may be called twice. Throws 429 when there is none for too long.
   */
  async enter(length: number, client: string): Promise<() => void> {
    const size = Math.min(length * GROWTH, ROOM);
    if (this.waiting.size > 0 || size > this.free) await this.wait(size, client);
    else this.free -= size;
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.free += size;
      this.admit();
    };
  }

  private wait(size: number, client: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        client,
        size,
        enter: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.giveUp(waiting);
        this.admit();
        reject(new TooManyRequestsError(PATIENCE / 1000));
      }, PATIENCE);
      const ofClient = this.waiting.get(client);
      if (ofClient) ofClient.push(waiting);
      else this.waiting.set(client, [waiting]);
    });
  }

  /** Admits bodies in turn; the next one is waited for until there is room, and later ones do not overtake it. */
  private admit(): void {
    for (let [next] = this.waiting.values(); next && next[0]!.size <= this.free; [next] = this.waiting.values()) {
      const first = next.shift()!;
      this.waiting.delete(first.client);
      if (next.length > 0) this.waiting.set(first.client, next);
      this.free -= first.size;
      first.enter();
    }
  }

  private giveUp(waiting: Waiting): void {
    const ofClient = this.waiting.get(waiting.client)!;
    ofClient.splice(ofClient.indexOf(waiting), 1);
    if (ofClient.length === 0) this.waiting.delete(waiting.client);
  }
}
