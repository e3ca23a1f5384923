import { readdir, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { BOUNDARY, type FormPart, MULTIPART_TYPE, multipartBody } from '../support/multipart.js';
import { startRoost } from '../support/roost.js';

const RECORDS = '/api/collections/uploads/records';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==',
  'base64',
);

let roost: TestRoost;

beforeAll(async () => {
  roost = await startRoost();
  await roost.createCollections({
    name: 'uploads',
    type: 'base',
    viewRule: '',
    createRule: '',
    fields: [
      { name: 'file', type: 'file', maxSize: 100_000 },
      { name: 'image', type: 'file', mimeTypes: ['image/png', 'image/jpeg'] },
      { name: 'docs', type: 'file', maxSelect: 2 },
    ],
  });
});

afterAll(() => roost?.close());

function send(parts: readonly FormPart[] | Buffer, contentType = MULTIPART_TYPE): Promise<TestResponse> {
  const body = Buffer.isBuffer(parts) ? parts : multipartBody(parts);
  return roost.inject({ method: 'POST', url: RECORDS, body, headers: { 'content-type': contentType } });
}

/** Files on disk, without sidecars. */
async function stored(): Promise<string[]> {
  const entries = await readdir(join(roost.dir, 'storage'), { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.attrs')).map((entry) => entry.name);
}

const temporary = () => readdir(join(roost.dir, '.temp')).catch(() => []);

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!(await isSo()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('headers of parts', () => {
  it.each([
    ['file', `name="file"; filename="${'x'.repeat(100_000)}.txt"`],
    ['value', `name="${'x'.repeat(100_000)}"`],
  ])('FS-17 BODY-1 a %s whose header has 100 KB is a 400, and nothing of the request is kept', async (_what, terms) => {
    const long = `--${BOUNDARY}\r\nContent-Disposition: form-data; ${terms}\r\n\r\ncontent\r\n`;
    const first = multipartBody([{ key: 'file', content: 'x', fileName: 'first.txt' }], '');
    const before = await stored();
    const response = await send(Buffer.concat([first, Buffer.from(`${long}--${BOUNDARY}--\r\n`)]));
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ code: 400, message: expect.any(String) as string, data: {} });
    expect(await stored()).toEqual(before);
    expect(await temporary()).toEqual([]);
  });
});

describe('names', () => {
  it.each([
    ['../../../etc/passwd', /^passwd_\w{10}\.txt$/],
    ['..\\\\..\\\\boot.ini', /^boot_\w{10}\.ini$/],
    ['C:\\\\Users\\\\me\\\\a b.txt', /^a_b_\w{10}\.txt$/],
    ['evil\0.txt', /^evil_\w{10}\.txt$/],
    [`${'x'.repeat(400)}.png`, /^x{100}_\w{10}\.png$/],
    ['😀😀😀.png', /^\w{10}_\w{10}\.png$/],
    ['CON', /^con_\w{10}\.txt$/],
    ['nul.txt', /^nul_\w{10}\.txt$/],
    ['.htaccess', /^\w{10}_\w{10}\.htaccess$/],
    ['....hidden', /^\w{10}_\w{10}\.hidden$/],
    ['..', /^\w{10}_\w{10}\.txt$/],
    ['photo.php.jpg', /^photo_\w{10}\.php\.jpg$/],
    ['photo.jpg.exe', /^photo_\w{10}\.jpg\.exe$/],
    ['x.attrs', /^\w{11}_\w{10}\.attrs_$/],
    ['%2e%2e%2fdata.db', /^2e_2e_2fdata_\w{10}\.db$/],
    ['\u202Egpj.exe', /^gpj_\w{10}\.exe$/],
  ])('FS-25 FS-26 %j is a harmless name on disk and in the URL', async (fileName, expected) => {
    const { status, body } = await send([{ key: 'file', fileName, content: 'content' }]);
    expect([status, body.file]).toEqual([200, expect.stringMatching(expected)]);
    expect(await stored()).toContain(body.file);
    expect(await readdir(join(roost.dir, 'storage', body.collectionId, body.id))).toContain(body.file);
    expect((await roost.inject({ url: `/api/files/uploads/${body.id}/${body.file}` })).text).toBe('content');
  });
});

describe('content', () => {
  it('FS-10 FS-12 is judged by what it is, not by what it says it is', async () => {
    const html = '<!doctype html><html><script>1</script></html>';
    const before = await stored();
    const lie = await send([{ key: 'image', fileName: 'a.png', type: 'image/png', content: html }]);
    expect([lie.status, lie.body.data.image.code]).toEqual([400, 'validation_invalid_mime_type']);
    expect(await stored()).toEqual(before);
    const misnamed = await send([{ key: 'image', fileName: 'a.html', type: 'text/html', content: PNG }]);
    expect(misnamed.status).toBe(200);
    const shown = await roost.inject({ url: `/api/files/uploads/${misnamed.body.id}/${misnamed.body.image}` });
    expect(shown.headers['content-type']).toBe('image/png');
    const kept = await send([{ key: 'file', fileName: 'a.png', type: 'image/png', content: html }]);
    const sent = await roost.inject({ url: `/api/files/uploads/${kept.body.id}/${kept.body.file}` });
    expect(sent.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(sent.headers['content-disposition']).toMatch(/^attachment/);
  });

  it('FS-14 may be empty', async () => {
    const { status, body } = await send([{ key: 'file', fileName: 'empty.bin', content: '' }]);
    expect(status).toBe(200);
    const sent = await roost.inject({ url: `/api/files/uploads/${body.id}/${body.file}` });
    expect([sent.status, sent.text, sent.headers['content-length']]).toEqual([200, '', '0']);
  });

  it('FS-10 is as long as the field allows, and not a byte longer', async () => {
    const file = { key: 'file', fileName: 'a.txt' };
    expect((await send([{ ...file, content: 'x'.repeat(100_000) }])).status).toBe(200);
    const before = await stored();
    const { status, body } = await send([{ ...file, content: 'x'.repeat(100_001) }]);
    expect([status, body.data.file.code]).toEqual([400, 'validation_file_size_limit']);
    expect(await stored()).toEqual(before);
  });

  it('FS-10 more files than the field takes are refused, however many', async () => {
    const before = await stored();
    for (const count of [3, 4, 900]) {
      const parts = Array.from({ length: count }, (_, index) => ({
        key: 'docs',
        fileName: `${index}.txt`,
        content: 'x',
      }));
      const { status, body } = await send(parts);
      expect([status, body.data.docs.code], String(count)).toEqual([400, 'validation_too_many_files']);
    }
    expect(await stored()).toEqual(before);
  });
});

describe('forms', () => {
  const file = { key: 'file', fileName: 'a.txt', content: 'content' };

  it('BODY-1 FS-22 that cannot be read leave nothing', async () => {
    const before = await stored();
    const form = multipartBody([file, file]);
    const broken: [string, Buffer, string?][] = [
      ['another boundary', form, 'multipart/form-data; boundary=another'],
      ['no boundary', form, 'multipart/form-data'],
      ['no end', multipartBody([file], '')],
      ['cut in a part', form.subarray(0, form.length - 40)],
      ['bare line feeds', Buffer.from(form.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')],
      ['no form at all', Buffer.from('x'.repeat(1000))],
    ];
    for (const [what, body, type] of broken) expect((await send(body, type)).status, what).toBe(400);
    await until(async () => (await temporary()).length === 0);
    expect([await stored(), await temporary()]).toEqual([before, []]);
  });

  it('FS-17 of more parts than 1000 are refused, whatever the parts are for', async () => {
    const values = Array.from({ length: 1001 }, (_, index) => ({ key: `x${index}`, content: '1' }));
    expect((await send(values)).status).toBe(400);
    const files = values.map((part) => ({ ...part, fileName: 'a.txt' }));
    expect((await send(files)).status).toBe(400);
  });

  it('FS-16 FS-22 a part that never ends is not kept beyond its limit, and gone when its sender is', async () => {
    const before = await stored();
    const origin = await roost.listen();
    const headers = { 'content-type': MULTIPART_TYPE };
    const upload = httpRequest(origin + RECORDS, { method: 'POST', headers, agent: false });
    upload.on('error', () => {});
    upload.write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="endless"\r\n\r\n`);
    const block = Buffer.alloc(100_000);
    for (let sent = 0; sent < 40; sent++) {
      if (!upload.write(block)) await new Promise((resolve) => upload.once('drain', resolve));
    }
    await until(async () => (await temporary()).length > 0);
    const sizes = await Promise.all((await temporary()).map((name) => stat(join(roost.dir, '.temp', name))));
    expect(Math.max(...sizes.map(({ size }) => size))).toBeLessThanOrEqual(200_000);
    upload.destroy();
    await until(async () => (await temporary()).length === 0);
    expect([await stored(), await temporary()]).toEqual([before, []]);
  });
});
