import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { RoostProcess } from '../support/roost-process.js';
import { startRoost } from '../support/roost.js';

const PASSWORD = 'a-good-password';
const HOOK = new URL('support/kill-after.mjs', import.meta.url).href;

let cwd: string;
let running: RoostProcess | undefined;
let roost: TestRoost | undefined;
let origin: string;
let token: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'roost-killed-'));
  const upsert = new RoostProcess(['superuser', 'upsert', 'root@example.com', PASSWORD], { cwd });
  expect((await upsert.finished()).code).toBe(0);
  await serve();
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'file', type: 'file' },
  ];
  await call('POST', '/api/collections', { name: 'docs', type: 'base', listRule: '', viewRule: '', fields });
  await add('in the backup');
  await call('POST', '/api/backups', { name: 'a.zip' });
  await running!.stop();
});
afterAll(async () => {
  await running?.stop('SIGKILL');
  await roost?.close();
  rmSync(cwd, { recursive: true, force: true });
});

async function serve(env: Readonly<Record<string, string>> = {}): Promise<void> {
  running = new RoostProcess(['serve', '--http=127.0.0.1:0'], { cwd, env });
  origin = await running.address();
  await signIn();
}

/** Starts on what was left, in this process, which is all a start is about that is asked here. */
async function serveHere(): Promise<TestRoost> {
  roost = await startRoost({ dir: join(cwd, 'roost_data') });
  origin = await roost.listen();
  await signIn();
  return roost;
}

async function signIn(): Promise<void> {
  const identity = { identity: 'root@example.com', password: PASSWORD };
  token = (await call('POST', '/api/collections/_superusers/auth-with-password', identity)).token as string;
}

async function call(method: string, path: string, body?: object): Promise<Record<string, never>> {
  const form = body instanceof FormData;
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: token ?? '', ...(form ? {} : { 'content-type': 'application/json' }) },
    body: form ? body : JSON.stringify(body),
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([expect.toSatisfy((status: number) => status < 300), text]);
  return text === '' ? {} : (JSON.parse(text) as Record<string, never>);
}

async function add(title: string): Promise<void> {
  const form = new FormData();
  form.append('title', title);
  form.append('file', new Blob([`file of ${title}`]), 'note.txt');
  await call('POST', '/api/collections/docs/records', form);
}

/** The titles, after a look into the file of each record. */
async function titles(): Promise<string[]> {
  const response = await fetch(`${origin}/api/collections/docs/records?sort=title`);
  const { items } = (await response.json()) as { items: { id: string; title: string; file: string }[] };
  for (const { id, title, file } of items) {
    const content = await fetch(`${origin}/api/files/docs/${id}/${file}`);
    expect([content.status, await content.text()]).toEqual([200, `file of ${title}`]);
  }
  return items.map(({ title }) => title);
}

/** Restores the backup beside a record that it does not have, and ends at this point; the titles of before. */
async function restoreUntilKilled(point: string): Promise<string[]> {
  await serve({ NODE_OPTIONS: `--import=${HOOK}`, KILL_AFTER: point });
  const present = await titles();
  if (!present.includes('later')) {
    await add('later');
    present.push('later');
  }
  await call('POST', '/api/backups/a.zip/restore');
  expect((await running!.finished()).code).toBeNull();
  expect(running!.child.signalCode).toBe('SIGKILL');
  return present;
}

const MOVED_ASIDE = 'rename data\\.db \\S+/restore/old/data\\.db$';

describe('a server that is killed while it restores a backup', () => {
  it.each([
    ['while it fetches the archive', 'createWriteStream restore-\\w+\\.zip', 'old'],
    ['while it unpacks the database', 'createWriteStream content/data\\.db', 'old'],
    ['while it unpacks the files', 'createWriteStream storage/\\.restore/content/', 'old'],
    ['before it moves anything', 'rename restore\\.json$', 'old'],
    ['when the old database is moved aside', MOVED_ASIDE, 'old'],
    ['when the new database is moved in', 'rename restore/content/data\\.db ', 'old'],
    ['when the old files are moved aside', 'rename storage/\\w+ \\S+/storage/\\.restore/old/', 'old'],
    ['when the new files are moved in', 'rename storage/\\.restore/content/', 'old'],
    ['when the new data has become the present', 'rm restore\\.json', 'new'],
    ['before it removes the old data', 'rm restore-\\w+\\.zip$', 'new'],
  ])('OPS-105 OPS-197 %s has all of the old data at the next start, or all of the new', async (_, point, data) => {
    const present = await restoreUntilKilled(point);
    const next = await serveHere();
    expect(await titles()).toEqual(data === 'old' ? present.sort() : ['in the backup']);
    expect(readdirSync(join(cwd, 'roost_data', '.temp'))).toEqual([]);
    expect(readdirSync(join(cwd, 'roost_data', 'storage'))).not.toContain('.restore');
    await add(`after it was killed ${point.length}`);
    expect(await titles()).toHaveLength((data === 'old' ? present.length : 1) + 1);
    await next.close();
    roost = undefined;
  });

  it('OPS-175 OPS-197 is backed up by the command with the data that it had', async () => {
    const present = await restoreUntilKilled(MOVED_ASIDE);
    expect(existsSync(join(cwd, 'roost_data', 'data.db'))).toBe(false);
    const backup = new RoostProcess(['backup', 'create', 'after.zip'], { cwd });
    expect(await backup.finished()).toMatchObject({ code: 0 });

    await serve();
    expect(await titles()).toEqual(present.sort());
    await add('after the backup');
    await call('POST', '/api/backups/after.zip/restore');
    await expect.poll(titles).toEqual(present);
    await running!.stop();
  });
});
