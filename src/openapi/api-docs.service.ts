import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ROOST_CONFIG, type RoostConfig } from '../config/roost-config.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { DOCS_PAGE, DOCS_SCRIPT } from './docs-page.js';

/** The files of swagger-ui-dist the page loads; nothing else of the package can be asked for. */
const ASSETS = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
};

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "script-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Shows the description of the API in a browser, in `--dev` only: else a NotFoundError for everything. */
@Injectable()
export class ApiDocsService {
  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  sendPage(reply: FastifyReply): FastifyReply {
    this.requireDev();
    return this.begin(reply, 'text/html; charset=utf-8').send(DOCS_PAGE);
  }

  async sendAsset(file: string, reply: FastifyReply): Promise<FastifyReply> {
    this.requireDev();
    if (file === 'docs.js') return this.begin(reply, TYPES['.js']!).send(DOCS_SCRIPT);
    if (!ASSETS.has(file)) throw new NotFoundError();
    return this.begin(reply, TYPES[extname(file)]!).send(createReadStream(join(assetsFolder(), file)));
  }

  private begin(reply: FastifyReply, type: string): FastifyReply {
    return reply
      .header('content-type', type)
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('cache-control', 'no-cache');
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
