import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { andCatch } from '../kernel/maybe-promise.js';
import { Database } from './database.js';

/**
 * Where several processes serve the same data: each request begins with what all of them had committed when it arrived,
 * so that a rule, an account or a setting that was changed through one of them holds in all (SCALE-23).
 */
@Injectable()
export class RequestFreshness implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
  ) {}

  onModuleInit(): void {
    if (!this.database.hasPeers) return;
    const fastify = this.adapterHost.httpAdapter.getInstance();
    fastify.addHook('onRequest', async () => {
      // What cannot be read now, the request itself finds out.
      await andCatch(
        () => this.database.catchUp(),
        () => undefined,
      );
    });
  }
}
