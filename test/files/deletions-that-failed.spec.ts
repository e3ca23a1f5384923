import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { S3FileStorage } from '../../src/storage/s3-file-storage.js';
import { RoostProcess } from '../support/roost-process.js';
import { startRoost } from '../support/roost.js';
import { answerS3Error, S3Server } from '../support/s3-server.js';
import { createWithFiles, FILE_COLLECTIONS, textFile } from './file-collections.js';

it(
  'FS-35 FS-36 the next start deletes what a bucket refused to, and nothing a record names',
  { timeout: 120_000 },
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'roost-refused-'));
    const server = await S3Server.open('files');
    const bucket = new S3FileStorage(server.settings());
    const inBucket = async () => {
      const keys: string[] = [];
      for await (const { key } of bucket.list('')) keys.push(key.split('/')[1]!);
      return keys.sort();
    };
    let running: RoostProcess | undefined;
    const serve = () => (running = new RoostProcess(['serve', '--http=127.0.0.1:0', `--dir=${dir}`], { cwd: dir }));
    try {
      const roost = await startRoost({ dir });
      const token = await roost.createSuperuser();
      await roost.createCollections(...FILE_COLLECTIONS);
      const body = { s3: server.settings() };
      expect((await roost.inject({ method: 'PATCH', url: '/api/settings', token, body })).status).toBe(200);
      const [gone, again, stays] = [
        await createWithFiles(roost, 'open', { cover: textFile('a.txt') }),
        await createWithFiles(roost, 'open', { cover: textFile('b.txt') }),
        await createWithFiles(roost, 'open', { cover: textFile('c.txt') }),
      ];
      await roost.close();
      const url = `${await serve().address()}/api/collections/open/records`;
      server.interfere = ({ method, url: path = '' }, response) => {
        if (method !== 'DELETE' && !path.includes('delete')) return false;
        answerS3Error(response, 403, 'AccessDenied', 'No.');
        return true;
      };
      for (const { id } of [gone, again]) {
        expect((await fetch(`${url}/${id}`, { method: 'DELETE' })).status).toBe(204);
        await vi.waitFor(
          () => expect(running!.stdout + running!.stderr).toContain(`${id}/ could not be deleted`),
          20_000,
        );
      }
      // Another record has the id by the time the deletion is tried again.
      const form = new FormData();
      form.set('id', again.id);
      form.set('cover', textFile('d.txt'));
      expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200);
      await running!.stop();
      server.interfere = () => false;
      expect(await inBucket()).toHaveLength(4);
      await serve().address();
      await vi.waitFor(async () => expect(await inBucket()).not.toContain(gone.id), 20_000);
      const left = await inBucket();
      expect(left).toContain(again.id);
      expect(left).toContain(stays.id);
    } finally {
      await running?.stop('SIGKILL');
      await Promise.all([bucket.close(), server.close()]);
      await rm(dir, { recursive: true, force: true });
    }
  },
);
