import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FileStorage } from '../../src/storage/file-storage.js';
import { LocalFileStorage } from '../../src/storage/local-file-storage.js';
import { S3FileStorage } from '../../src/storage/s3-file-storage.js';
import { RoostProcess } from '../support/roost-process.js';
import { S3Server } from '../support/s3-server.js';
import { faultsOf } from './check-directory.js';
import { prepareDirectory } from './prepare-directory.js';
import { randomOf, roundsOf, seedOf } from './rounds.js';
import { FIRST_SHAPE, formOf, type KnownRecord } from './workload.js';

const ROUNDS = roundsOf(2);
const FILES = 150;

let root: string;
let dir: string;
let store: S3Server;
let bucket: S3FileStorage;
let whole: ReadonlyMap<string, string>;

const RECORDS = Array.from({ length: FILES }, (_, index): KnownRecord => {
  // Longer ones take longer.
  const title = `${index} `.repeat(index % 10 === 0 ? 5_000 : 1);
  return {
    collection: 'posts',
    id: String(index).padStart(15, '0'),
    title: title.slice(0, 5_000).trim(),
    hasFile: true,
  };
});

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-faults-'));
  dir = join(root, 'data');
  store = await S3Server.open('files');
  bucket = new S3FileStorage(store.settings());
  await prepareDirectory(dir, async (roost, token) => {
    const body = { s3: store.settings({ enabled: false }) };
    expect((await roost.inject({ method: 'PATCH', url: '/api/settings', token, body })).status).toBe(200);
    for (const record of RECORDS) {
      const url = '/api/collections/posts/records';
      expect((await roost.inject({ method: 'POST', url, body: formOf(record) })).status).toBe(200);
    }
  });
  whole = await contentOf(local());
  expect(whole.size).toBe(FILES);
});
afterAll(async () => {
  await bucket.close();
  await store.close();
  await rm(root, { recursive: true, force: true });
});

const local = () => new LocalFileStorage(join(dir, 'storage'));

async function contentOf(storage: FileStorage): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  for await (const { key } of storage.list('')) content.set(key, await text((await storage.open(key))!.stream));
  return content;
}

it.each(['s3', 'local'])(
  `FS-50 OPS-197 a copy to %s that is killed has copied whole files only, and the next one the rest`,
  { timeout: 120_000 + ROUNDS * 20_000 },
  async (to) => {
    const random = randomOf(seedOf(`killed-copy to ${to}`));
    const target = () => (to === 's3' ? bucket : local());
    if (to === 'local') rmSync(join(dir, 'storage'), { recursive: true, force: true });
    const counts: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = store.requests.length;
      const process = new RoostProcess(['files', 'copy', `--to=${to}`, `--dir=${dir}`], { cwd: root });
      while (store.requests.length === before && process.child.exitCode === null) await sleep(5);
      await sleep(random() * 400);
      await process.stop('SIGKILL');
      const copied = await contentOf(target());
      counts.push(copied.size);
      for (const [key, content] of copied) expect([key, content]).toEqual([key, whole.get(key)]);
    }
    console.info(`killed when ${counts.join(', ')} of ${FILES} files were there`);
    const last = await new RoostProcess(['files', 'copy', `--to=${to}`, `--dir=${dir}`], { cwd: root }).finished();
    expect(last).toMatchObject({ code: 0, stderr: '' });
    expect(await contentOf(target())).toEqual(whole);
    const group = new Map(RECORDS.map((record) => [record.id, record]));
    expect(await faultsOf(dir, { groups: [[group, undefined]], shape: [FIRST_SHAPE, undefined] })).toEqual([]);
    expect(existsSync(join(dir, '.temp')) && readdirSync(join(dir, '.temp'))).toEqual([]);
  },
);
