import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Metadata } from 'sharp';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import type { ThumbSize } from '../kernel/files/thumb-size.js';
import { ChildProgram } from '../processes/child-program.js';

/** What is known of an image before it is decoded. */
export type ImageMetadata = Pick<
  Metadata,
  'format' | 'width' | 'height' | 'channels' | 'depth' | 'isProgressive' | 'orientation' | 'autoOrient'
>;

/** An image to be resized, in its own format. */
export interface ResizeOrder {
  readonly path: string;
  /** The file to be made. */
  readonly to: string;
  readonly format: string;
  readonly size: ThumbSize;
}

const PROGRAM = fileURLToPath(new URL('./image-process.mjs', import.meta.url));

/** Milliseconds without work after which the process ends. */
const IDLE = 60_000;

/** Milliseconds one image may take, however its decoder is stuck. It looks at its own limit between two lines only. */
const DEADLINE = 60_000;

/**
 * Reads and resizes images in a process of its own: what a file does to its decoder stays there, requests come first,
 * and what threads have freed is not kept by each of them, which would be as much again as the pictures take (OPS-39).
 */
@Injectable()
export class ImageProcess implements OnApplicationShutdown {
  private program: ChildProgram | undefined;
  private working = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /** Throws when the file is no image. */
  look(path: string): Promise<ImageMetadata> {
    return this.ask({ kind: 'look', path });
  }

  async resize(order: ResizeOrder): Promise<void> {
    await this.ask({ kind: 'resize', ...order });
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.idle);
    await this.end(this.program);
  }

  private async ask<Result>(request: object): Promise<Result> {
    clearTimeout(this.idle);
    this.working += 1;
    const program = (this.program = this.program?.isAlive ? this.program : this.start());
    const deadline = setTimeout(() => void this.end(program), DEADLINE);
    try {
      return (await program.ask<{ readonly result: Result }>(request)).result;
    } finally {
      clearTimeout(deadline);
      this.working -= 1;
      if (this.working === 0) this.idle = setTimeout(() => void this.end(this.program), IDLE).unref();
    }
  }

  /** Whoever asks from now on gets another one. */
  private async end(program: ChildProgram | undefined): Promise<void> {
    if (this.program === program) this.program = undefined;
    await program?.kill();
  }

  private start(): ChildProgram {
    return new ChildProgram(PROGRAM, {
      env: { MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: String(Math.max(1, this.config.thumbsMaxWorkers)) },
      priority: constants.priority.PRIORITY_BELOW_NORMAL,
    });
  }
}
