import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import { postedSecrets } from './posted-secrets.js';
import { SecretFinder } from './secret-finder.js';
import type { ExchangeObserver } from './traffic-tee.mjs';

/** What bcrypt makes of a password. */
const HASH = /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/;

/** Short values stand in texts by chance. */
const SHORTEST = 10;

/** Bytes that are kept unread. */
const MOST_KEPT = 16 * 1024 * 1024;

/** The end of what was read is kept, because the next piece may complete a secret that begins in it. */
const OVERLAP = 1024;

/** Findings that are shown. */
const MOST_TOLD = 10;

/** Something that tells: an answer, a stream, what a process prints. */
interface Source {
  readonly from: string;
  encoding: string;
  pieces: Buffer[];
  hasEnded: boolean;
}

/**
 * Looks for secrets in everything that one application tells. What it tells is kept until the end, or read when it
 * becomes too much; a secret cannot have been told before it was there.
 */
export class SecretWatch {
  private readonly secrets = new Set<string>();
  private readonly sources = new Set<Source>();
  private readonly findings: string[] = [];
  private kept = 0;
  private reading: Promise<void> | undefined;

  /** `stored` gives the secrets the application holds at the moment. */
  constructor(
    private readonly stored: () => Promise<readonly string[]>,
    private readonly mostKept = MOST_KEPT,
  ) {}

  /**
   * From now on nothing may tell these, as they are or escaped for a URL or for JSON, once or twice. Short ones do not
   * count.
   */
  plant(secrets: readonly unknown[]): void {
    for (const secret of secrets) {
      if (typeof secret !== 'string' || secret.length < SHORTEST) continue;
      const inJson = escaped(secret);
      for (const form of [secret, inJson, escaped(inJson), encodeURIComponent(wellFormed(secret))]) {
        this.secrets.add(form);
      }
    }
  }

  /** A whole text. */
  tell(from: string, text: string | Uint8Array): void {
    const source = this.add(from);
    this.take(source, Buffer.from(text as string));
    source.hasEnded = true;
  }

  /** Something that will tell piece by piece. */
  source(from: string): (piece: Buffer) => void {
    const source = this.add(from);
    return (piece) => this.take(source, piece);
  }

  /** A request and its answer. The passwords in the request become secrets. */
  exchange(from: string): ExchangeObserver {
    const source = this.add(from);
    let body: Buffer[] = [];
    const learn = (): void => {
      if (body.length > 0) this.plant(postedSecrets(Buffer.concat(body).toString()));
      body = [];
    };
    return {
      asked: (chunk) => void body.push(chunk),
      head: (text, encoding) => {
        learn();
        this.tell(from, text);
        source.encoding = encoding;
      },
      told: (chunk) => this.take(source, chunk),
      ended: () => {
        learn();
        source.hasEnded = true;
      },
    };
  }

  /** Asks what is stored now, before the application closes. One that is closed already has no answer. */
  async learn(): Promise<void> {
    this.plant(await this.stored().catch(() => []));
  }

  /** Rejects when a secret was told, with all that were and by whom. */
  async verdict(): Promise<void> {
    await this.reading;
    for (const source of this.sources) source.hasEnded = true;
    this.read();
    if (this.findings.length > 0) throw new Error([...new Set(this.findings)].slice(0, MOST_TOLD).join('\n'));
  }

  private add(from: string): Source {
    const source: Source = { from, encoding: '', pieces: [], hasEnded: false };
    this.sources.add(source);
    return source;
  }

  private take(source: Source, piece: Buffer): void {
    source.pieces.push(piece);
    this.kept += piece.length;
    if (this.kept < this.mostKept || this.reading) return;
    this.reading = this.learn().then(() => {
      this.read();
      this.reading = undefined;
    });
  }

  private read(): void {
    const finder = new SecretFinder(this.secrets);
    this.kept = 0;
    for (const source of this.sources) {
      const text = textOf(source);
      if (text) {
        const found = finder.find(text) ?? HASH.exec(text.toString('latin1'))?.[0];
        if (found !== undefined)
          this.findings.push(`A secret was told by ${source.from}: ${found} in ${excerpt(text)}`);
        source.pieces = [text.subarray(-OVERLAP)];
      }
      if (source.hasEnded) this.sources.delete(source);
      else for (const piece of source.pieces) this.kept += piece.length;
    }
  }
}

/** Undefined when it can be read only later. */
function textOf({ encoding, pieces, hasEnded }: Source): Buffer | undefined {
  const bytes = Buffer.concat(pieces);
  if (encoding === '' || bytes.length === 0) return bytes;
  if (!hasEnded) return undefined;
  // What was broken off is readable as far as it goes.
  return encoding === 'br'
    ? brotliDecompressSync(bytes, { finishFlush: constants.BROTLI_OPERATION_FLUSH })
    : gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Without halves of characters, which a URL cannot hold. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}

function excerpt(text: Buffer): string {
  return text.subarray(0, 500).toString();
}
