import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OF_DOCS = 'docs/';

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

/** A file of the client or a page of the documents, in the encoding that was chosen for a request. */
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
export class AdminFiles {
  /** The hashes of the scripts that stand in the page itself, as a policy names them. */
  readonly scriptHashes: readonly string[];

  private readonly names: ReadonlySet<string>;
  private readonly client: string;
  private readonly docs: string;

  /** The directory has the built client in `client/` and the documents in `docs/`. */
  constructor(directory: URL) {
    this.client = fileURLToPath(new URL('client/', directory));
    this.docs = fileURLToPath(new URL('docs/', directory));
    const client = filesBelow(this.client).filter((name) => /^(index\.html(\.\w+)?|assets\/.+)$/.test(name));
    const docs = filesBelow(this.docs).map((name) => OF_DOCS + name);
    this.names = new Set([...client, ...docs]);
    const page = client.includes('index.html') ? readFileSync(join(this.client, 'index.html'), 'utf8') : '';
    this.scriptHashes = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(
      ([, script]) => `'sha256-${hash('sha256', script!, 'base64')}'`,
    );
  }

  /** The file behind a path below `/_/`, '' meaning the page itself; undefined when there is none. */
  find(name: string, acceptEncoding: string): AdminFile | undefined {
    const wanted = name === '' || name === OF_DOCS ? `${name}index.html` : name;
    if (!this.names.has(wanted) || /\.(br|gz)$/.test(wanted)) return undefined;
    const encoding = this.encodingOf(wanted, acceptEncoding);
    const suffix = encoding === 'br' ? '.br' : encoding === 'gzip' ? '.gz' : '';
    return {
      path:
        (wanted.startsWith(OF_DOCS) ? join(this.docs, wanted.slice(OF_DOCS.length)) : join(this.client, wanted)) +
        suffix,
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

function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length).replaceAll('\\', '/'));
}
