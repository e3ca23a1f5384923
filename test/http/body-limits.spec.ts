import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const KIB = 1024;
const RECORDS = '/api/collections/notes/records';

let roost: TestRoost;
let token: string;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
  await roost.inject({
    url: '/api/collections',
    token,
    body: {
      name: 'notes',
      type: 'base',
      createRule: '',
      fields: [
        { name: 'title', type: 'text', max: 5_000_000 },
        { name: 'doc', type: 'json', maxSize: 10_000_000 },
        { name: 'at', type: 'date' },
      ],
    },
  });
});

afterAll(() => roost.close());

const post = (url: string, body: string, options: { method?: string; token?: string; type?: string } = {}) =>
  roost.inject({
    url,
    method: options.method ?? 'POST',
    token: options.token,
    headers: { 'content-type': options.type ?? 'application/json' },
    body,
  } as never) as Promise<TestResponse>;

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;
const padded = (bytes: number) => `{"x":"${'x'.repeat(bytes - 8)}"}`;

describe('what a body may hold', () => {
  it.each([
    ['/api/collections/users/auth-with-password', 'POST', ''],
    ['/api/collections/users/request-password-reset', 'POST', ''],
    ['/api/realtime', 'POST', ''],
    ['/api/settings', 'PATCH', 'superuser'],
    ['/api/settings/test/email', 'POST', 'superuser'],
  ])('OPS-34a %s takes 256 KiB', async (url, method, as) => {
    const options = { method, ...(as && { token }) };
    expect((await post(url, padded(256 * KIB + 1), options)).status).toBe(413);
    expect((await post(url, padded(256 * KIB), options)).status).not.toBe(413);
  });

  it('OPS-34a collections and their import take 16 MiB', async () => {
    for (const [url, method] of [
      ['/api/collections', 'POST'],
      ['/api/collections/notes', 'PATCH'],
      ['/api/collections/import', 'PUT'],
    ] as const) {
      expect((await post(url, padded(16 * KIB * KIB + 1), { method, token })).status).toBe(413);
    }
    expect((await post('/api/collections', padded(16 * KIB * KIB), { token })).status).toBe(400);
  });

  it('OPS-34a a JSON body has at most 200,000 values, that of a record 2,000,000', async () => {
    const collection = (count: number) => `{"name":"many","x":${zeros(count)}}`;
    const tooMany = await post('/api/collections', collection(200_000), { token });
    expect(tooMany).toMatchObject({ status: 400, body: { data: {} } });
    expect(tooMany.body.message).toContain('200000 values');
    expect((await post('/api/collections', collection(199_000), { token })).body.message).not.toContain('values.');
    const record = await post(RECORDS, `{"doc":${zeros(199_999)}}`);
    expect(record.status).toBe(200);
    expect(record.body.doc).toHaveLength(199_999);
    expect((await post(RECORDS, `{"doc":${zeros(2_000_000)}}`)).body.message).toContain('2000000 values');
  });

  it('OPS-34a values are counted together, however many parts of a form they come in', async () => {
    const form = new FormData();
    for (let index = 0; index < 3; index++) form.append('@jsonPayload', `{"x${index}":${zeros(700_000)}}`);
    const answer = await roost.inject({ url: RECORDS, body: form });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('values');
  });

  it.each(['doc', 'unknown'])(
    'OPS-34a COL-71 %s nests at most 1,000 levels, and the answer names a field',
    async (key) => {
      expect((await post(RECORDS, `{"title":"x","${key}":${nested(1000)}}`)).status).toBe(200);
      for (const levels of [1001, 1_000_000]) {
        const answer = await post(RECORDS, `{"title":"x","${key}":${nested(levels)}}`);
        expect(answer.status).toBe(400);
        expect(answer.body.data).toEqual(
          key === 'doc' ? { doc: expect.objectContaining({ code: 'validation_invalid_json' }) as unknown } : {},
        );
      }
    },
  );

  it('OPS-39 an object has at most 50,000 keys, as a value and as a text, and the answer names a field', async () => {
    const object = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"k${index}":${index % 10}`).join(',')}}`;
    for (const sent of [object(50_000), JSON.stringify(object(50_000))]) {
      const { status, body } = await post(RECORDS, `{"doc":${sent}}`);
      expect([status, Object.keys(body.doc as object).length]).toEqual([200, 50_000]);
    }
    for (const sent of [object(50_001), JSON.stringify(object(50_001))]) {
      const { status, body } = await post(RECORDS, `{"doc":${sent}}`);
      expect([status, body.data.doc.code]).toEqual([400, 'validation_invalid_json']);
    }
    expect((await post(RECORDS, object(50_001))).body).toMatchObject({ code: 400, data: {} });
  });

  it('COL-71 what JSON fields cannot keep is refused, as a value and as a text', async () => {
    for (const value of ['1e400', '"1e400"', '[1e400]', '"[-1e999]"', `"${nested(1001)}"`]) {
      const answer = await post(RECORDS, `{"doc":${value}}`);
      expect(answer.status).toBe(400);
      expect(answer.body.data.doc.code).toBe('validation_invalid_json');
    }
  });

  it.each([
    ['"2026-01-29T12:00"', '2026-01-29 12:00:00.000Z'],
    ['1769688000', '2026-01-29 12:00:00.000Z'],
    ['1769688000.5', '2026-01-29 12:00:00.500Z'],
    ['""', ''],
    ['null', ''],
  ])('COL-68 the date %s arrives', async (sent, stored) => {
    expect((await post(RECORDS, `{"at":${sent}}`)).body.at).toBe(stored);
  });

  it.each(['"soon"', 'true', '[]', '{}', '1e300', '"2026-13-01"', `"${'1'.repeat(100_000)}"`])(
    'COL-68a the date %s is refused',
    async (sent) => {
      const answer = await post(RECORDS, `{"at":${sent}}`);
      expect(answer.status).toBe(400);
      expect(answer.body.data.at.code).toBe('validation_invalid_date');
    },
  );

  it('OPS-39 a large body arrives whole, and leaves nothing behind', async () => {
    const doc = Array.from({ length: 20_000 }, (_, index) => ({ [`é${index}`]: [index, '"\\', null] }));
    const title = '😀'.repeat(200_000);
    const answers = await Promise.all(Array.from({ length: 3 }, () => post(RECORDS, JSON.stringify({ title, doc }))));
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({ title, doc });
    }
    for (const body of [`{"doc":${zeros(300_000)}`, `{"doc":[${'0,'.repeat(300_000)}]}`]) {
      expect(await post(RECORDS, body)).toMatchObject({ status: 400, body: { data: {} } });
    }
    expect(await readdir(join(roost.dir, '.temp'))).toEqual([]);
  });

  it('OPS-37 a body that never ends is cut off when its time is over', async () => {
    const hasty = await startRoost({ config: { ROOST_BODY_TIMEOUT: '1' } });
    onTestFinished(() => hasty.close());
    const { port } = new URL(await hasty.listen());
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.write(
      `POST /api/collections/users/auth-with-password HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{`,
    );
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('did not arrive in time');
  });
});
