import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { DOCS_SCRIPT, docsPage } from './docs-page.js';

/** The files of swagger-ui-dist that the page loads; no others are served. */
const ASSETS = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};

/** Uploads come from this origin too, so that scripts are not trusted for coming from it (OPS-33a). */
const policyWith = (nonce: string) =>
  [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `script-src 'nonce-${nonce}'`,
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

/** Shows the description of the API in a browser, in `--dev` only: else a NotFoundError for everything. */
@Injectable()
export class ApiDocsService {
  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  sendPage(reply: FastifyReply): FastifyReply {
    this.requireDev();
    const nonce = randomBytes(16).toString('base64');
    void reply.header('content-security-policy', policyWith(nonce));
    return this.begin(reply, 'text/html; charset=utf-8').send(docsPage(nonce));
  }

  async sendAsset(file: string, reply: FastifyReply): Promise<FastifyReply> {
    this.requireDev();
    if (file === 'docs.js') return this.begin(reply, TYPES['.js']!).send(DOCS_SCRIPT);
    if (!ASSETS.has(file)) throw new NotFoundError();
    return this.begin(reply, TYPES[extname(file)]!).send(createReadStream(join(assetsFolder(), file)));
  }

  private begin(reply: FastifyReply, type: string): FastifyReply {
    return reply.headers({ 'content-type': type, 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' });
  }

  private requireDev(): void {
    if (!this.config.dev) throw new NotFoundError();
  }
}

/** @nestjs/swagger brings the package, so it is looked for from there. */
function assetsFolder(): string {
  const swagger = createRequire(import.meta.url).resolve('@nestjs/swagger');
  return dirname(createRequire(swagger).resolve('swagger-ui-dist/package.json'));
}
