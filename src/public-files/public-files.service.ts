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

/** Paths that are never files, whatever the directory holds (OPS-150). */
const RESERVED = /^\/(?:api|_)(?:\/|$)/;

/** Serves a directory of files beside the API (chapter 06 H). */
@Injectable()
export class PublicFilesService implements OnModuleInit {
  constructor(
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    private readonly adapterHost: HttpAdapterHost<FastifyAdapter>,
  ) {}

  /** The library answers with validators and ranges; which file it is we decide ourselves. */
  async onModuleInit(): Promise<void> {
    const fastify = this.adapterHost.httpAdapter.getInstance() as unknown as FastifyInstance;
    const decorateReply = !fastify.hasReplyDecorator('sendFile');
    await fastify.register(fastifyStatic, {
      root: this.config.publicDir,
      serve: false,
      decorateReply,
      logLevel: 'silent',
    });
  }

  /** Answers with the file of a path that no route owns. Throws a NotFoundError when there is none. */
  async send(request: RoostRequest, reply: FastifyReply): Promise<void> {
    const [pathname = '/'] = request.url.split('?', 1);
    if (RESERVED.test(pathname)) throw new NotFoundError();
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
    if (target.kind === 'file') return sendFile(reply, target.root, target.path);
    const index = target.kind === 'missing' && this.config.indexFallback ? await this.rootIndex() : undefined;
    if (!index) throw new NotFoundError();
    sendFile(reply, index.root, index.path);
  }

  private async rootIndex(): Promise<{ root: string; path: string } | undefined> {
    const target = await findPublicFile(this.config.publicDir, '/');
    return target.kind === 'file' ? target : undefined;
  }
}

function sendFile(reply: FastifyReply, root: string, path: string): void {
  void reply.sendFile(relative(root, path), root, { dotfiles: 'deny', maxAge: 0 });
}
