import { createReadStream } from 'node:fs';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { AdminFiles } from './admin-files.js';

/**
 * What the page may load and where it may connect (OPS-201). Scripts are not trusted for where they come from, which is
 * where uploads come from too, but for being in the page or brought in by one that is (OPS-33a).
 */
const policyWith = (scriptHashes: readonly string[]) =>
  [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob: https://tile.openstreetmap.org",
    "connect-src 'self' https://nominatim.openstreetmap.org",
    ['script-src', ...scriptHashes, "'strict-dynamic'"].join(' '),
    "worker-src 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

const LASTING = 'max-age=1209600, stale-while-revalidate=86400';

/** Sends the files of the admin client. Paths that name no file get the page: its routes live behind the hash. */
@Injectable()
export class AdminService {
  private readonly policy: string;

  constructor(
    private readonly files: AdminFiles,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
  ) {
    this.policy = policyWith(files.scriptHashes);
  }

  /** Throws a NotFoundError for a missing asset or script, and for everything when the client was not built. */
  send(name: string, acceptEncoding: string, reply: FastifyReply): FastifyReply {
    const file =
      this.files.find(name, acceptEncoding) ??
      (/^(assets|extensions)\//.test(name) ? undefined : this.files.find('', acceptEncoding));
    if (!file) throw new NotFoundError();
    if (file.encoding) reply.header('content-encoding', file.encoding);
    return (
      reply
        .header('vary', 'Origin, Accept-Encoding')
        .header('content-type', file.type)
        .header('content-security-policy', this.policy)
        // Addresses of its pages may contain tokens of mails.
        .header('referrer-policy', 'no-referrer')
        .header('cache-control', file.hashed && !this.config.dev ? LASTING : 'no-cache')
        .send(createReadStream(file.path))
    );
  }
}
