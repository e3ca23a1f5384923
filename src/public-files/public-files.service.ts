import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { findPublicFile, type PublicTarget } from './public-path.js';

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
    const path = target.kind === 'file' ? target.path : await this.inPlaceOf(target);
    if (path === undefined) throw new NotFoundError();
    // Which names are shown is decided already; behind a link they may begin with dots.
    this.sendFile.call(reply, path, this.config.publicDir, { dotfiles: 'allow', maxAge: 0 });
  }

  /** What is shown for a path that has no file: applications have routes of their own (OPS-152). */
  private async inPlaceOf({ kind }: PublicTarget): Promise<string | undefined> {
    if (kind !== 'missing' || !this.config.indexFallback) return undefined;
    const root = await findPublicFile(this.config.publicDir, '/');
    return root.kind === 'file' ? root.path : undefined;
  }
}
