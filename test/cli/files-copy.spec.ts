import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWithFiles, FILE_COLLECTIONS, textFile } from '../files/file-collections.js';
import { RoostProcess, type Finished } from '../support/roost-process.js';
import { databaseOf, startRoost } from '../support/roost.js';
import { answerS3Error, S3Server } from '../support/s3-server.js';
import { command } from './command.js';

let dir: string;
let server: S3Server;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-copy-'));
  server = await S3Server.open('files');
});

afterEach(async () => {
  await server.close();
  await rm(dir, { recursive: true, force: true });
});

const copy = async (...flags: string[]): Promise<Finished> => {
  const env = await databaseOf(dir);
  return new RoostProcess(['files', 'copy', ...flags, `--dir=${dir}`], { cwd: dir, env }).finished();
};

it(
  'FS-50 OPS-160 copies the files to the bucket of the settings, beside a running instance',
  { timeout: 120_000 },
  async () => {
    const roost = await startRoost({ dir });
    try {
      const token = await roost.createSuperuser();
      await roost.createCollections(...FILE_COLLECTIONS);
      const record = await createWithFiles(roost, 'open', {
        cover: textFile('a.txt', 'local'),
        docs: [textFile('b.txt')],
      });
      expect(await copy('--to=s3')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('S3 settings are not complete'),
      });
      const set = (s3: object) => roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { s3 } });
      await set(server.settings({ enabled: false }));
      server.interfere = ({ method, url = '' }, response) => {
        if (method !== 'PUT' || !url.includes(record.cover)) return false;
        answerS3Error(response, 403, 'AccessDenied', 'Not this one.');
        return true;
      };
      const failed = await copy('--to', 's3');
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('1 files could not be copied') });
      expect(failed.stdout).toMatch(
        /Copied 1 files \(\d+ bytes\), 0 were there already\.\nNot copied: .*Not this one\./,
      );
      server.interfere = () => false;
      expect(await copy('--to=s3')).toMatchObject({
        code: 0,
        stdout: 'Copied 1 files (5 bytes), 1 were there already.\n',
      });
      await set(server.settings());
      expect((await roost.inject({ url: `/api/files/open/${record.id}/${record.cover}` })).text).toBe('local');
    } finally {
      await roost.close();
    }
  },
);

it.each([[[]], [['--to=nowhere']], [['--to=s3', 'more']]])('OPS-161 files copy %j is wrong usage', async (flags) => {
  expect((await command(['files', 'copy', ...flags, `--dir=${dir}`], dir)).code).toBe(2);
});
