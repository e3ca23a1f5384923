import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';

/** Where the built client stands: next to the compiled code. */
const CLIENT = fileURLToPath(new URL('./client/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** A file of the client, in the encoding that was chosen for a request. */
export interface AdminFile {
  readonly path: string;
  readonly type: string;
  readonly encoding: 'br' | 'gzip' | undefined;
  /** Its name holds a hash of its content, so that it never changes. */
  readonly hashed: boolean;
}

/**
 * The files of the built client, known from the start: nothing else can be asked for, whatever a path says. Compressed
 * forms lie beside the files (OPS-201) and are chosen by what the browser accepts.
 */
@Injectable()
export class AdminFiles {
  private readonly names: ReadonlySet<string>;

  constructor() {
    const names = existsSync(CLIENT)
      ? readdirSync(CLIENT, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(CLIENT.length).replaceAll('\\', '/'))
      : [];
    this.names = new Set(names.filter((name) => name === 'index.html' || /^(index\.html\.\w+|assets\/.+)$/.test(name)));
  }

  /** The file behind a path below `/_/`, '' meaning the page itself; undefined when there is none. */
  find(name: string, acceptEncoding: string): AdminFile | undefined {
    const wanted = name === '' ? 'index.html' : name;
    if (!this.names.has(wanted) || /\.(br|gz)$/.test(wanted)) return undefined;
    const encoding = this.encodingOf(wanted, acceptEncoding);
    const suffix = encoding === 'br' ? '.br' : encoding === 'gzip' ? '.gz' : '';
    return {
      path: join(CLIENT, wanted + suffix),
      type: TYPES[extname(wanted)] ?? 'application/octet-stream',
      encoding,
      hashed: wanted.startsWith('assets/'),
    };
  }

  private encodingOf(name: string, acceptEncoding: string): AdminFile['encoding'] {
    const accepted = acceptEncoding
      .toLowerCase()
      .split(',')
      .map((part) => part.trim().split(';'))
      .filter(([, quality]) => !/^\s*q=0(\.0*)?\s*$/.test(quality ?? ''))
      .map(([coding]) => coding!.trim());
    if (accepted.includes('br') && this.names.has(`${name}.br`)) return 'br';
    return accepted.includes('gzip') && this.names.has(`${name}.gz`) ? 'gzip' : undefined;
  }
}
