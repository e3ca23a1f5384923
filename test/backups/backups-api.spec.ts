import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackArchive, type UnpackProgress } from '../../src/backups/archive-reader.js';
import type { ArchiveProgress } from '../../src/backups/archive-writer.js';
import { BackupsService } from '../../src/backups/backups.service.js';
import { CronsService } from '../../src/crons/crons.service.js';
import { AuxiliaryDatabase } from '../../src/database/database.js';
import { BackupActivity } from '../../src/storage/backup-activity.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { entriesOf } from './support/archives.js';

let roost: TestRoost;
let token: string;

beforeEach(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
});
afterEach(() => roost.close());

const create = (body: object = {}) => roost.inject({ method: 'POST', url: '/api/backups', token, body });
const list = async (): Promise<{ key: string; size: number; modified: string }[]> =>
  (await roost.inject({ url: '/api/backups', token })).body;
const fileToken = async () => (await roost.inject({ method: 'POST', url: '/api/files/token', token })).body.token;
const settings = (body: object) => roost.inject({ method: 'PATCH', url: '/api/settings', token, body });

function upload(name: string, content: Buffer | string, key = 'file') {
  const body = new FormData();
  body.append(key, new Blob([new Uint8Array(Buffer.from(content))]), name);
  return roost.inject({ method: 'POST', url: '/api/backups/upload', token, body });
}

describe('backups', () => {
  it('OPS-103 are made, listed, fetched and deleted', async () => {
    expect(await list()).toEqual([]);
    expect((await create({ name: 'b.zip' })).status).toBe(204);
    expect((await create({ name: 'a.zip' })).status).toBe(204);
    const found = await list();
    expect(found.map(({ key }) => key)).toEqual(['a.zip', 'b.zip']);
    expect(found[0]).toEqual({
      key: 'a.zip',
      size: expect.any(Number),
      modified: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const url = `/api/backups/a.zip?token=${await fileToken()}`;
    const { status, raw, headers } = await roost.inject({ url });
    expect({ status, size: raw.length }).toEqual({ status: 200, size: found[0]!.size });
    expect(headers['content-type']).toBe('application/zip');
    expect(headers['content-disposition']).toContain('attachment');
    expect(headers['cache-control']).toBe('private, no-store');
    const part = await roost.inject({ url, headers: { range: 'bytes=0-3' } });
    expect([part.status, part.raw.toString('latin1')]).toEqual([206, 'PK\x03\x04']);
    expect((await roost.inject({ url, headers: { range: 'bytes=999999999-' } })).status).toBe(416);
    const head = await roost.inject({ method: 'HEAD', url });
    expect([head.status, head.headers['content-length'], head.raw.length]).toEqual([200, String(found[0]!.size), 0]);
    const remove = () => roost.inject({ method: 'DELETE', url: '/api/backups/a.zip', token });
    expect((await remove()).status).toBe(204);
    expect((await remove()).status).toBe(400);
    expect((await roost.inject({ url })).status).toBe(404);
  });

  it('OPS-80 OPS-100 are made without logs that are damaged, and can be restored', async () => {
    const path = join(roost.dir, 'auxiliary.db');
    await roost.app.get(AuxiliaryDatabase, { strict: false }).upkeep.optimize();
    const content = readFileSync(path);
    writeFileSync(path, content.fill(0xa5, 4096), { flag: 'r+' });
    expect((await create({ name: 'a.zip' })).status).toBe(204);
    expect([...(await entriesOf(join(roost.dir, 'backups', 'a.zip'))).keys()].sort()).toEqual([
      'data.db',
      'roost.json',
    ]);
    await roost.app.get(BackupsService, { strict: false }).restoreFile(join(roost.dir, 'backups', 'a.zip'));
    const logs = await roost.inject({ url: '/api/logs', token });
    expect(logs.status).toBe(200);
  });

  it('OPS-100 that cannot be made are a 400 with the reason, which need not be their storage', async () => {
    rmSync(join(roost.dir, '.temp'), { recursive: true });
    writeFileSync(join(roost.dir, '.temp'), 'in the way');
    const { status, body } = await create({ name: 'a.zip' });
    expect([status, body.data, body.message]).toEqual([
      400,
      {},
      expect.stringMatching(/^The backup could not be made: /),
    ]);
    expect(await list()).toEqual([]);
    rmSync(join(roost.dir, '.temp'));
    expect((await create({ name: 'a.zip' })).status).toBe(204);
  });

  it('OPS-100 hold the databases, the files and what they are, and nothing else', async () => {
    await roost.createCollections({ name: 'docs', type: 'base', fields: [{ name: 'file', type: 'file' }] });
    const form = new FormData();
    form.append('file', new Blob(['content']), 'note.txt');
    const record = await roost.inject({ method: 'POST', url: '/api/collections/docs/records', token, body: form });
    expect(record.status).toBe(200);
    mkdirSync(join(roost.dir, 'lost+found'));
    writeFileSync(join(roost.dir, 'other.txt'), 'not ours');
    symlinkSync('/etc/hostname', join(roost.dir, 'storage', 'link'));
    await create({ name: 'a.zip' });
    await create({ name: 'b.zip' });
    const entries = await entriesOf(join(roost.dir, 'backups', 'b.zip'));
    const { collectionId, id, file } = record.body;
    expect([...entries.keys()].sort()).toEqual(
      [
        'auxiliary.db',
        'data.db',
        'roost.json',
        `storage/${collectionId}/${id}/${file}`,
        `storage/${collectionId}/${id}/${file}.attrs`,
      ].sort(),
    );
    expect(entries.get(`storage/${collectionId}/${id}/${file}`)!.toString()).toBe('content');
    expect(JSON.parse(entries.get('roost.json')!.toString())).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      migration: expect.stringMatching(/\d{13}$/),
      created: expect.stringMatching(/Z$/),
      sha256: {
        'data.db': expect.stringMatching(/^[0-9a-f]{64}$/),
        'auxiliary.db': expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    expect(readdirSync(join(roost.dir, '.temp'))).toEqual([]);
  });

  it('OPS-100 hold files that are not worth compressing as they are', async () => {
    const folder = join(roost.dir, 'storage', 'pbc_docs_000001', 'record000000001');
    mkdirSync(folder, { recursive: true });
    const picture = Buffer.alloc(50_000, 7);
    writeFileSync(join(folder, 'picture.png'), picture);
    writeFileSync(join(folder, 'empty.txt'), '');
    expect((await create({ name: 'a.zip' })).status).toBe(204);
    const archive = join(roost.dir, 'backups', 'a.zip');
    const entries = await entriesOf(archive);
    expect(entries.get('storage/pbc_docs_000001/record000000001/picture.png')!.equals(picture)).toBe(true);
    expect(entries.get('storage/pbc_docs_000001/record000000001/empty.txt')).toHaveLength(0);
    expect(statSync(archive).size).toBeGreaterThan(picture.length);
  });

  it('OPS-109 say how far they are within a large file as well, and so does what unpacks them', async () => {
    const backups = roost.app.get(BackupsService, { strict: false });
    const large = join(roost.dir, 'storage', 'pbc_1', 'large');
    mkdirSync(large, { recursive: true });
    writeFileSync(join(large, 'film.mp4'), Buffer.alloc(5 * 1024 * 1024, 1));
    const isFollowed = (steps: readonly { readonly files: number; readonly bytes: number }[]) =>
      steps.some(({ files, bytes }, index) => files === steps[index - 1]?.files && bytes > steps[index - 1]!.bytes);
    const made: ArchiveProgress[] = [];
    await backups.create('large.zip', { onProgress: (progress) => made.push(progress) });
    expect(isFollowed(made)).toBe(true);
    const unpacked: UnpackProgress[] = [];
    const room = { databases: join(roost.dir, '.temp', 'databases'), files: join(roost.dir, '.temp', 'files') };
    for (const folder of Object.values(room)) mkdirSync(folder);
    await unpackArchive(join(roost.dir, 'backups', 'large.zip'), room, (progress) => unpacked.push(progress));
    expect(isFollowed(unpacked)).toBe(true);
    expect(unpacked.at(-1)).toEqual(made.at(-1));
  });

  it('OPS-103 have a name of their own when none is given', async () => {
    await settings({ meta: { appName: 'My First App!' } });
    expect((await create()).status).toBe(204);
    expect((await list())[0]!.key).toMatch(/^roost_backup_my_first_app_\d{14}\.zip$/);
  });

  it.each([
    ['a*.zip', 'validation_match_invalid'],
    ['a\nb.zip', 'validation_match_invalid'],
    ['a..b.zip', 'validation_match_invalid'],
    ['.zip', 'validation_match_invalid'],
    ['@auto_roost_backup_mine.zip', 'validation_match_invalid'],
    ['a.tar', 'validation_match_invalid'],
    ['../a.zip', 'validation_match_invalid'],
    [`${'a'.repeat(147)}.zip`, 'validation_length_out_of_range'],
    ['taken.zip', 'validation_backup_name_exists'],
  ])('OPS-103 refuse the name %s', async (name, code) => {
    await upload('taken.zip', Buffer.from('504b0506'.padEnd(44, '0'), 'hex'));
    if (code === 'validation_backup_name_exists') await create({ name });
    expect(await create({ name })).toMatchObject({ status: 400, body: { data: { name: { code } } } });
  });

  it.each(['x (1).zip', 'UPPER.zip', '@test.zip', 'Of May.2+3_a-b.zip'])('OPS-104a may be called %s', async (name) => {
    expect((await create({ name })).status).toBe(204);
    const url = `/api/backups/${encodeURIComponent(name)}`;
    const { status, raw } = await roost.inject({ url: `${url}?token=${await fileToken()}` });
    expect(status).toBe(200);
    expect((await roost.inject({ method: 'DELETE', url, token })).status).toBe(204);
    expect((await upload(name, raw)).status).toBe(204);
    expect((await list()).map(({ key }) => key)).toEqual([name]);
  });

  it('OPS-104a an error names the file name', async () => {
    expect((await create({ name: 'a?.zip' })).body.data.name.message).toContain('The file name "a?.zip"');
    expect((await upload('b?.zip', 'x')).body.data.file.message).toContain('The file name "b?.zip"');
  });

  it('OPS-100 fail when files are named and their storage is not there', async () => {
    const storage = join(roost.dir, 'storage');
    rmSync(storage, { recursive: true, force: true });
    expect((await create({ name: 'none.zip' })).status).toBe(204);
    await roost.createCollections({ name: 'docs', type: 'base', fields: [{ name: 'file', type: 'file' }] });
    const form = new FormData();
    form.append('file', new Blob(['content']), 'note.txt');
    await roost.inject({ method: 'POST', url: '/api/collections/docs/records', token, body: form });
    rmSync(storage, { recursive: true });
    const refused = { status: 400, body: { message: expect.stringContaining('docs') } };
    expect(await create({ name: 'missing.zip' })).toMatchObject(refused);
    mkdirSync(storage);
    expect(await create({ name: 'empty.zip' })).toMatchObject(refused);
    rmSync(storage, { recursive: true });
    symlinkSync(join(roost.dir, 'nowhere'), storage);
    expect(await create({ name: 'dangling.zip' })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('not there') },
    });
    expect((await list()).map(({ key }) => key)).toEqual(['none.zip']);
  });

  it('OPS-103 OPS-104 are taken from elsewhere', async () => {
    await create({ name: 'a.zip' });
    const { raw } = await roost.inject({ url: `/api/backups/a.zip?token=${await fileToken()}` });
    expect((await upload('Other@2.zip', raw)).status).toBe(204);
    expect((await list()).map(({ key }) => key)).toEqual(['Other@2.zip', 'a.zip']);
    expect((await upload(`${'z'.repeat(146)}.zip`, raw)).status).toBe(204);
    const refused = async (name: string, content: Buffer | string, key?: string) =>
      (await upload(name, content, key)).body.data.file.code as string;
    expect(await refused('Other@2.zip', raw)).toBe('validation_backup_name_exists');
    expect(await refused('x.zip', 'not a zip')).toBe('validation_invalid_mime_type');
    expect(await refused('x.tar', raw)).toBe('validation_match_invalid');
    for (const name of ['.zip', '..zip', '.hidden.zip', 'a..b.zip']) {
      expect([name, await refused(name, raw)]).toEqual([name, 'validation_match_invalid']);
    }
    expect(await refused(`${'a'.repeat(147)}.zip`, raw)).toBe('validation_match_invalid');
    expect(await refused('x.zip', raw, 'other')).toBe('validation_required');
    await expect.poll(() => readdirSync(join(roost.dir, '.temp'))).toEqual([]);
  });

  it('OPS-103 are for superusers; a download needs the file token of one, and nothing else counts', async () => {
    await create({ name: 'a.zip' });
    await roost.app.get(CronsService, { strict: false }).idle();
    const guest = { body: undefined };
    for (const [method, url] of [
      ['GET', '/api/backups'],
      ['POST', '/api/backups'],
      ['POST', '/api/backups/upload'],
      ['DELETE', '/api/backups/a.zip'],
      ['POST', '/api/backups/a.zip/restore'],
    ] as const) {
      expect([url, (await roost.inject({ method, url, ...guest })).status]).toEqual([url, 401]);
    }
    expect((await roost.inject({ url: '/api/backups/a.zip', token })).status).toBe(403);
    expect((await roost.inject({ url: `/api/backups/a.zip?token=${token}`, token })).status).toBe(403);
    await roost.inject({
      url: '/api/collections/users/records',
      token,
      body: { email: 'ann@example.com', password: '1234567890', passwordConfirm: '1234567890' },
    });
    const ann = await roost.signIn('users', 'ann@example.com');
    const anns = (await roost.inject({ method: 'POST', url: '/api/files/token', token: ann })).body.token as string;
    expect((await roost.inject({ url: `/api/backups/a.zip?token=${anns}`, token })).status).toBe(403);
    await settings({ superuserIPs: ['127.0.0.1'] });
    const url = `/api/backups/a.zip?token=${await fileToken()}`;
    expect((await roost.inject({ url })).status).toBe(200);
    expect((await roost.inject({ url, remoteAddress: '10.0.0.1' })).status).toBe(403);
  });

  it('OPS-104 take no key that is not a plain name', async () => {
    await create({ name: 'a.zip' });
    writeFileSync(join(roost.dir, 'secret.zip'), 'x');
    writeFileSync(join(roost.dir, 'backups', 'a..zip'), 'x');
    writeFileSync(join(roost.dir, 'backups', '.hidden.zip'), 'x');
    expect((await list()).map(({ key }) => key)).toEqual(['a.zip']);
    const asked = await fileToken();
    for (const key of ['..%2Fsecret.zip', '..%5Csecret.zip', 'a%2Fb.zip', 'a..zip', '.hidden.zip', '..', '%2e%2e']) {
      expect((await roost.inject({ url: `/api/backups/${key}?token=${asked}` })).status).toBe(404);
      expect([400, 404]).toContain(
        (await roost.inject({ method: 'DELETE', url: `/api/backups/${key}`, token })).status,
      );
    }
    expect(existsSync(join(roost.dir, 'secret.zip'))).toBe(true);
  });

  it('OPS-103 come one at a time, and health says so', async () => {
    await create({ name: 'a.zip' });
    const canBackup = async () => (await roost.inject({ url: '/api/health', token })).body.data.canBackup;
    expect(await canBackup()).toBe(true);
    const end = (await roost.app.get(BackupActivity, { strict: false }).tryBegin('a.zip'))!;
    expect(await canBackup()).toBe(false);
    expect(await create({ name: 'c.zip' })).toMatchObject({ status: 400, body: { data: {} } });
    expect((await roost.inject({ method: 'POST', url: '/api/backups/a.zip/restore', token })).status).toBe(400);
    expect((await roost.inject({ method: 'DELETE', url: '/api/backups/a.zip', token })).status).toBe(400);
    end();
    expect(await canBackup()).toBe(true);
    const answers = await Promise.all([create({ name: 'x.zip' }), create({ name: 'y.zip' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  it('OPS-106 that fail leave nothing under their name and nothing behind', async () => {
    writeFileSync(join(roost.dir, 'backups'), 'in the way');
    expect(await create({ name: 'a.zip' })).toMatchObject({ status: 400, body: { data: {} } });
    expect(readdirSync(join(roost.dir, '.temp'))).toEqual([]);
    expect((await roost.inject({ url: '/api/health', token })).body.data.canBackup).toBe(true);
  });
});

describe('automatic backups', () => {
  const run = async () => {
    const answer = await roost.inject({ method: 'POST', url: '/api/crons/__pbAutoBackup__', token });
    await roost.app.get(CronsService, { strict: false }).idle();
    return answer.status;
  };

  it('OPS-107 OPS-142 keep the newest ones and never touch those made by hand', async () => {
    expect(await run()).toBe(404);
    await settings({ backups: { cron: '0 0 * * *', cronMaxKeep: 2 } });
    const { body } = await roost.inject({ url: '/api/crons', token });
    expect(body).toContainEqual({ id: '__pbAutoBackup__', expression: '0 0 * * *' });
    await create({ name: 'mine.zip' });
    roost.clock.freeze();
    for (let count = 0; count < 3; count++) {
      roost.clock.advance(1_000);
      expect(await run()).toBe(204);
    }
    const keys = (await list()).map(({ key }) => key);
    const stamp = (ago: number) => new Date(roost.clock.now() - ago).toISOString().replace(/\D/g, '').slice(0, 14);
    expect(keys).toEqual([...[1_000, 0].map((ago) => `@auto_roost_backup_acme_${stamp(ago)}.zip`), 'mine.zip']);
    const encoded = encodeURIComponent(keys[0]!);
    expect((await roost.inject({ url: `/api/backups/${encoded}?token=${await fileToken()}` })).status).toBe(200);
  });

  it('OPS-107 tell every superuser of a failure, and skip with a warning while another one runs', async () => {
    await settings({ backups: { cron: '@daily', cronMaxKeep: 2 } });
    await roost.createSuperuser('second@example.com');
    const end = (await roost.app.get(BackupActivity, { strict: false }).tryBegin('other'))!;
    await run();
    end();
    expect(roost.mails).toEqual([]);
    writeFileSync(join(roost.dir, 'backups'), 'in the way');
    await run();
    expect(roost.mails.map(({ to }) => to[0]!.address).sort()).toEqual(['root@example.com', 'second@example.com']);
    const { body } = await roost.inject({ url: '/api/logs?filter=data.context%3D"Backups"&sort=rowid', token });
    expect(body.items.map(({ level }: { level: number }) => level)).toEqual([4, 8]);
  });
});
