import { rmSync } from 'node:fs';
import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { createAdapter } from '../http/adapter/fastify-adapter.js';
import { CliModule } from './cli.module.js';
import { Startup } from './startup.js';

const TEMPORARY_DIR = Symbol('TEMPORARY_DIR');

/**
 * Opens the data directory when the application starts, and removes it when that has stopped, if it is a temporary one.
 */
@Injectable()
class TestRun implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly startup: Startup,
    @Inject(TEMPORARY_DIR) private readonly temporaryDir: string | null,
    @Inject(ROOST_CONFIG) config: RoostConfig,
    adapterHost: HttpAdapterHost,
  ) {
    // A testing module creates no server, but providers and `createNestApplication` need an adapter.
    adapterHost.httpAdapter ??= createAdapter(config);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.startup.prepare('serving');
  }

  onApplicationShutdown(): void {
    if (this.temporaryDir !== null) rmSync(this.temporaryDir, { recursive: true, force: true });
  }
}

/** Roost inside a testing module of Nest's, which knows nothing of commands. */
@Module({})
export class TestRunModule {
  /** `root` provides everything, commands included. `temporaryDir` is removed at the end. */
  static around(root: DynamicModule, temporaryDir: string | null): DynamicModule {
    return {
      module: TestRunModule,
      imports: [root, CliModule],
      providers: [TestRun, { provide: TEMPORARY_DIR, useValue: temporaryDir }],
    };
  }
}
