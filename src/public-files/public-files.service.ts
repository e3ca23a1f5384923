import { relative } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import type { RoostRequest } from '../http/roost-request.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { findPublicFile } from './public-path.js';

interface PublicFile {
  readonly root: string;
  readonly path: string;
}

/** What @fastify/static adds to replies. */
type SendFile = (this: FastifyReply, path: string, root: string, options: fastifyStatic.SendOptions) => void;

/** Serves a directory of files beside the API (chapter 06 H). */
@Injectable()
export class PublicFilesService implements OnModuleInit {
  private sendFile: SendFile;

  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** The library answers with validators and ranges; which file it is we decide ourselves. */
  async onModuleInit(): Promise<void> {
    const fastify = this.adapterHost.httpAdapter.getInstance() as unknown as FastifyInstance;
    const options = { root: this.config.publicDir, serve: false, logLevel: 'silent' } as const;
    await fastify.register(async (scope) => {
      // `reply.sendFile` itself is for a team that serves directories of its own with the same library.
      const keep = (name: string, method: unknown) => {
        if (name === 'sendFile') this.sendFile = method as SendFile;
        return scope;
      };
      scope.decorateReply = keep as typeof scope.decorateReply;
      await scope.register(fastifyStatic, options);
    });
  }

  /** Answers with the file of a path that no route owns. Throws a NotFoundError when there is none. */
  async send(request: RoostRequest, reply: FastifyReply): Promise<void> {
    const [pathname = '/'] = request.url.split('?', 1);
    const target = await findPublicFile(this.config.publicDir, pathname);
    request.isStatic = true;
    if (target.kind === 'redirect') {
      const query = request.url.slice(pathname.length);
      void reply
        .code(301)
        .header('location', target.to + query)
        .send();
      return;
    }
    if (target.kind === 'file') return this.answer(reply, target);
    const index = target.kind === 'missing' && this.config.indexFallback ? await this.rootIndex() : undefined;
    if (!index) throw new NotFoundError();
    this.answer(reply, index);
  }

  private answer(reply: FastifyReply, { root, path }: PublicFile): void {
    this.sendFile.call(reply, relative(root, path), root, { dotfiles: 'deny', maxAge: 0 });
  }

  private async rootIndex(): Promise<PublicFile | undefined> {
    const target = await findPublicFile(this.config.publicDir, '/');
    return target.kind === 'file' ? target : undefined;
  }
}
