import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EventSource } from 'eventsource';
import PocketBase from 'pocketbase';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { MAGAZINE } from '../support/magazine.js';
import { startRoost } from '../support/roost.js';

globalThis.EventSource = EventSource as unknown as typeof globalThis.EventSource;

const ROOT = new URL('../..', import.meta.url).pathname;
const REFERENCE = join(ROOT, 'docs/reference');
const CHAPTERS = readdirSync(REFERENCE).filter((name) => name.endsWith('.md'));
const ID =
  /\b(?:COL|CONV|REC|BODY|JSON|TX|LIST|SORT|FLD|EXP|FLT|REF|FN|CMP|MM|RULE|GRD|SQL|REL|FILE|ERR|BAT|AUTH|RT|FS|OPS|UI|EXT|SCALE)-\d+[a-z]?\b/g;

/** What is asked of an object that may have more; lists are compared as far as they go. */
function expectPart(actual: unknown, part: unknown): void {
  if (Array.isArray(part)) part.forEach((each, index) => expectPart((actual as unknown[])[index], each));
  else if (typeof part === 'object' && part !== null) {
    for (const [key, value] of Object.entries(part)) expectPart((actual as Record<string, unknown>)[key], value);
  } else expect(actual).toBe(part);
}

const read = (name: string): string => readFileSync(join(REFERENCE, name), 'utf8');

/** Anchors of the whole reference, each with the chapters that have it. */
function anchors(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const name of CHAPTERS) {
    for (const [, id] of read(name).matchAll(/<a id="([^"]+)"><\/a>/g))
      found.set(id!, [...(found.get(id!) ?? []), name]);
  }
  return found;
}

/** Every id that a source file, a test or another document names. */
function namedIds(): Set<string> {
  const tracked = execFileSync('git', ['ls-files', 'src', 'test', 'migrations', 'docs', 'README.md'], { cwd: ROOT });
  const files = tracked
    .toString()
    .split('\n')
    .filter((file) => /\.(ts|tsx|mjs|md|css)$/.test(file) && !file.startsWith('docs/reference/'));
  const ids = new Set<string>();
  for (const file of files.filter((each) => existsSync(join(ROOT, each)))) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [id] of text.matchAll(ID)) ids.add(id);
    for (const [, prefix, from, to] of text.matchAll(/\b([A-Z]{2,5})-(\d+)\.\.(?:[A-Z]{2,5}-)?(\d+)\b/g)) {
      for (let n = Number(from); n <= Number(to); n++) ids.add(`${prefix}-${n}`);
    }
  }
  return ids;
}

describe('docs/reference', () => {
  it('has one anchor for every id that source, tests and documents name', () => {
    const found = anchors();
    expect([...namedIds()].filter((id) => !found.has(id))).toEqual([]);
    expect([...found].filter(([, chapters]) => chapters.length > 1)).toEqual([]);
  });

  it('leads to files and headings that are there', () => {
    const headings = (text: string) =>
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s-]/gu, '')
          .trim()
          .replaceAll(' ', '-'),
      );
    for (const name of CHAPTERS) {
      for (const [, href] of read(name).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(href!)) continue;
        const [path, hash] = href!.split('#');
        const target = path ? join(dirname(join(REFERENCE, name)), path) : join(REFERENCE, name);
        expect(existsSync(target), `${name}: ${href}`).toBe(true);
        if (hash) expect(headings(readFileSync(target, 'utf8')), `${name}: ${href}`).toContain(hash);
      }
    }
  });
});

describe('the examples of docs/reference', () => {
  let roost: TestRoost;
  let directory: string;
  let environment: NodeJS.ProcessEnv;
  let chief: PocketBase;
  let client: PocketBase;
  let cover: Buffer;

  beforeAll(async () => {
    roost = await startRoost();
    const url = await roost.listen();
    const connect = () => new PocketBase(url).autoCancellation(false);
    [chief, client] = [connect(), connect()];
    await roost.createSuperuser('chief@example.com', 'chief-password');
    const { token } = await chief.collection('_superusers').authWithPassword('chief@example.com', 'chief-password');
    await chief.collections.import(withViews(MAGAZINE) as never);
    const ann = connect();
    const password = 'ann-password';
    await ann
      .collection('authors')
      .create({ name: 'Ann', email: 'ann@example.com', password, passwordConfirm: password });
    const signedIn = await ann.collection('authors').authWithPassword('ann@example.com', password);
    cover = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#1f6f5c' } })
      .png()
      .toBuffer();
    directory = mkdtempSync(join(tmpdir(), 'roost-reference-'));
    writeFileSync(join(directory, 'cover.png'), cover);
    environment = { ...process.env, URL: url, CHIEF: token, ANN: signedIn.token, ANN_ID: signedIn.record.id };
  });

  afterAll(async () => {
    await roost?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The magazine of the README: an author and views can be left out. */
  function withViews(collections: readonly Record<string, unknown>[]): unknown[] {
    return collections.map((collection) => {
      if (collection['name'] !== 'articles') return collection;
      const fields = (collection['fields'] as { name: string }[]).map((field) =>
        field.name === 'author' ? { ...field, required: false } : field,
      );
      return { ...collection, fields: [...fields, { name: 'views', type: 'number' }] };
    });
  }

  async function runShell(code: string): Promise<string> {
    const { stdout } = await promisify(execFile)('bash', ['-e', '-c', code], { cwd: directory, env: environment });
    return stdout;
  }

  async function runScript(code: string): Promise<string> {
    const lines: string[] = [];
    const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as FunctionConstructor;
    const run = new AsyncFunction('client', 'chief', 'cover', 'console', code) as (
      ...given: unknown[]
    ) => Promise<void>;
    await run(client, chief, cover, { log: (line: string) => lines.push(line) });
    return lines.join('\n');
  }

  for (const name of CHAPTERS) {
    const examples = [...read(name).matchAll(/^```(sh|js)\n(.*?)^```\n\n```json\n(.*?)^```/gms)];
    if (examples.length === 0) continue;
    it(`of ${name} print what they say`, async () => {
      for (const [, language, code, printed] of examples) {
        const output = await (language === 'sh' ? runShell(code!) : runScript(code!));
        expectPart(JSON.parse(output), JSON.parse(printed!));
      }
    });
  }

  it('are all followed by what they print', () => {
    for (const name of CHAPTERS) {
      const blocks = [...read(name).matchAll(/^```(sh|js)\n.*?^```\n\n(```json)?/gms)];
      expect(blocks.filter(([, , json]) => !json).map(([text]) => text)).toEqual([]);
    }
  });
});
