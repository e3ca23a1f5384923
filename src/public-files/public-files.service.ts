import { Inject, Injectable } from '@nestjs/common';
import type { SendOptions } from '@fastify/static';
import { fastify as createFastify, type FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { schemaController } from '../http/adapter/schema-compilers.js';
import type { RoostRequest } from '../http/request/roost-request.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { findPublicFile, type PublicTarget } from './public-path.js';

/** What @fastify/static adds to replies. */
type SendFile = (this: FastifyReply, path: string, root: string, options: SendOptions) => void;

/** Serves a directory of files beside the API (chapter 06 H). */
@Injectable()
export class PublicFilesService {
  private sendFile: Promise<SendFile> | undefined;

  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

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
    // Which names are served was decided above; a link may lead to a dot file.
    const sendFile = await (this.sendFile ??= loadSendFile(this.config.publicDir));
    sendFile.call(reply, path, this.config.publicDir, { dotfiles: 'allow', maxAge: 0 });
  }

  /** What is shown for a path that has no file: applications have routes of their own (OPS-152). */
  private async inPlaceOf({ kind }: PublicTarget): Promise<string | undefined> {
    if (kind !== 'missing' || !this.config.indexFallback) return undefined;
    const root = await findPublicFile(this.config.publicDir, '/');
    return root.kind === 'file' ? root.path : undefined;
  }
}

/**
 * The library answers with validators and ranges; which file it is we decide ourselves. It is loaded for the first
 * file: many have none. `reply.sendFile` itself is for a team that serves directories of its own with the same library.
 */
async function loadSendFile(root: string): Promise<SendFile> {
  const { default: fastifyStatic } = await import('@fastify/static');
  const other = createFastify({ schemaController });
  let sendFile: SendFile;
  const keep = (name: string, method: unknown) => {
    if (name === 'sendFile') sendFile = method as SendFile;
    return other;
  };
  other.decorateReply = keep as never;
  await fastifyStatic(other, { root, serve: false, logLevel: 'silent' });
  return sendFile!;
}
