import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';
import { RoostProcess } from '../support/roost-process.js';
import { MULTIPART_TYPE, multipartBody } from '../support/multipart.js';
import { Sqlite } from '../support/sqlite.js';
import { FILE_COLLECTIONS } from './file-collections.js';

let dir: string;
let running: RoostProcess | undefined;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-killed-'));
  const roost = await startRoost({ dir });
  await roost.createSuperuser();
  await roost.createCollections(...FILE_COLLECTIONS);
  await roost.close();
});

afterEach(async () => {
  await running?.stop('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

async function serve(): Promise<string> {
  running = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}`], { cwd: dir });
  return running.address();
}

const filesIn = async (folder: string) => {
  const entries = await readdir(join(dir, folder), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
};

it(
  'FS-96 FS-22 a kill in the middle of an upload leaves nothing after the next start',
  { timeout: 120_000 },
  async () => {
    const upload = httpRequest(`${await serve()}/api/collections/open/records`, {
      method: 'POST',
      headers: { 'content-type': MULTIPART_TYPE },
    });
    upload.on('error', () => {});
    upload.write(
      multipartBody([{ key: 'cover', fileName: 'a.bin', content: Buffer.alloc(3_000_000) }], '').subarray(0, 2_000_000),
    );
    while ((await filesIn('.temp')).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await running!.stop('SIGKILL');
    upload.destroy();
    expect(await filesIn('storage')).toEqual([]);
    const origin = await serve();
    expect(await filesIn('.temp')).toEqual([]);
    expect(await filesIn('storage')).toEqual([]);
    expect((await fetch(`${origin}/api/health`)).status).toBe(200);
  },
);

const form = (content: string) =>
  new Uint8Array(multipartBody([{ key: 'cover', fileName: 'a.txt', content: Buffer.from(content) }]));

const send = (method: string, url: string, content: string) =>
  fetch(url, { method, headers: { 'content-type': MULTIPART_TYPE }, body: form(content) });

it(
  'FS-96 a kill between storing a file and committing its record leaves the files records name, and no others',
  { timeout: 120_000 },
  async () => {
    const records = `${await serve()}/api/collections/open/records`;
    const kept = (await (await send('POST', records, 'kept')).json()) as { id: string; cover: string };
    const writer = new Sqlite(join(dir, 'data.db'));
    writer.exec('BEGIN IMMEDIATE');
    const answers = [send('POST', records, 'created'), send('PATCH', `${records}/${kept.id}`, 'replaced')];
    for (const answer of answers) answer.catch(() => undefined);
    await expect.poll(async () => (await filesIn('storage')).length, { timeout: 60_000 }).toBe(6);
    await running!.stop('SIGKILL');
    writer.close();
    await serve();
    await expect.poll(() => filesIn('storage')).toEqual([kept.cover, `${kept.cover}.attrs`]);
    await expect.poll(() => filesIn('.temp')).toEqual([]);
  },
);
