import { describe, expect, it, vi } from 'vitest';
import { parseBatchOperation } from '../../src/batch/batch-operation.js';
import { readBatchRequests } from '../../src/batch/read-batch-requests.js';
import { groupFiles } from '../../src/batch/batch-files.js';
import { countedList } from '../../src/kernel/counted-list.spec-support.js';
import type { ApiError } from '../../src/kernel/errors/api-error.js';
import type { Upload } from '../../src/kernel/files/upload.js';

const URL = '/api/collections/posts/records';
const OK = { method: 'POST', url: URL };

async function failure(work: () => unknown): Promise<ApiError> {
  try {
    await work();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error('It did not fail.');
}

const refusal = (values: Record<string, unknown>, max = 10) => failure(() => readBatchRequests(values, max));

describe('the form of a batch', () => {
  it.each([
    [{ requests: {} }],
    [{ requests: 'x' }],
    [{ requests: [1] }],
    [{ requests: [null] }],
    [{ requests: [[]] }],
    [{ requests: [{ ...OK, url: 5 }] }],
    [{ requests: [{ ...OK, body: [] }] }],
    [{ requests: [{ ...OK, body: 'x' }] }],
    [{ requests: [{ ...OK, headers: [] }] }],
    [{ requests: [{ ...OK, headers: { a: 1 } }] }],
    // The wrong type comes before what else is wrong.
    [{ requests: [{ method: 'GET' }, { ...OK, body: 1 }] }],
  ])('BAT-3 cannot read %j', async (values) => {
    expect(await refusal(values)).toMatchObject({ status: 400, data: {} });
  });

  it.each([[{}], [{ requests: null }], [{ requests: [] }]])('BAT-5 misses the requests in %j', async (values) => {
    expect(await refusal(values)).toMatchObject({ status: 400, data: { requests: { code: 'validation_required' } } });
  });

  it('BAT-5 refuses more requests than allowed and takes as many as allowed', async () => {
    const requests = Array.from({ length: 3 }, () => OK);
    expect(await refusal({ requests }, 2)).toMatchObject({
      data: { requests: { code: 'validation_length_too_long' } },
    });
    expect(await readBatchRequests({ requests }, 3)).toHaveLength(3);
  });

  it('BAT-5 lists what is wrong with each request, and only those', async () => {
    const requests = [
      OK,
      {},
      { method: 'GET', url: URL },
      { method: 'post', url: '' },
      { method: 5, url: `${URL}?${'x'.repeat(2000)}` },
      { method: 'PUT', url: '€'.repeat(2000) },
      { method: 'PUT', url: '🙂'.repeat(2000) },
    ];
    expect((await refusal({ requests })).data).toEqual({
      requests: {
        1: {
          method: expect.objectContaining({ code: 'validation_required' }),
          url: expect.objectContaining({ code: 'validation_required' }),
        },
        2: { method: expect.objectContaining({ code: 'validation_in_invalid' }) },
        3: {
          method: expect.objectContaining({ code: 'validation_in_invalid' }),
          url: expect.objectContaining({ code: 'validation_required' }),
        },
        4: {
          method: expect.objectContaining({ code: 'validation_in_invalid' }),
          url: expect.objectContaining({ code: 'validation_length_too_long' }),
        },
      },
    });
  });

  it('OPS-39 refuses headers that are longer together than those of a request', async () => {
    const headers = (length: number) => ({ 'x-a': 'x'.repeat(length - 6), 'x-b': '' });
    expect(await readBatchRequests({ requests: [{ ...OK, headers: headers(16_384) }] }, 1)).toHaveLength(1);
    const { data } = await refusal({ requests: [OK, { ...OK, headers: headers(16_385) }] });
    expect(data).toEqual({
      requests: { 1: { headers: expect.objectContaining({ code: 'validation_length_too_long' }) } },
    });
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x-${index}`, '']));
    expect((await refusal({ requests: [{ ...OK, headers: many }] })).status).toBe(400);
  });

  it('OPS-39 goes through no headers that are a text or a list', async () => {
    const entries = vi.spyOn(Object, 'entries');
    const { list, asked } = countedList(Array<string>(100_000).fill(''));
    for (const headers of ['x'.repeat(100_000), list, { a: list }]) {
      expect((await refusal({ requests: [{ ...OK, headers }] })).message).toContain('"requests.0.headers"');
    }
    expect(entries.mock.calls.filter(([object]) => typeof object === 'string')).toEqual([]);
    expect(asked()).toBe(0);
    vi.restoreAllMocks();
  });

  it('OPS-39 lets others in between requests', async () => {
    const requests = Array.from({ length: 5_000 }, () => OK);
    let rounds = 0;
    let isOver = false;
    const count = () => {
      rounds++;
      if (!isOver) setImmediate(count);
    };
    // As on a machine on which each of them takes a millisecond.
    let now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    setImmediate(count);
    expect(await readBatchRequests({ requests }, 5_000)).toHaveLength(5_000);
    isOver = true;
    vi.restoreAllMocks();
    expect(rounds).toBeGreaterThan(500);
  });

  it('BAT-4 takes null for what is missing', async () => {
    expect(await readBatchRequests({ requests: [{ ...OK, body: null, headers: null }] }, 1)).toEqual([
      { ...OK, body: {}, headers: {} },
    ]);
  });
});

describe('an operation of a batch', () => {
  it.each([
    ['POST', URL, { action: 'create', collection: 'posts', id: '', query: {} }],
    [
      'POST',
      `${URL}?expand=a&fields=id&fields=x&q=a%20b+c`,
      { action: 'create', query: { expand: 'a', fields: 'id', q: 'a b c' } },
    ],
    ['PATCH', `${URL}/a%62c?x=?`, { action: 'update', id: 'abc', query: { x: '?' } }],
    ['PUT', `${URL}?`, { action: 'upsert', query: {} }],
    ['DELETE', `${URL}/abc`, { action: 'delete', collection: 'posts', id: 'abc' }],
    ['DELETE', '/api/collections/p%C3%B6sts/records/a', { collection: 'pösts' }],
  ])('BAT-5 BAT-8 REC-2 understands %s %s', (method, url, expected) => {
    expect(parseBatchOperation({ method, url })).toMatchObject(expected);
  });

  it.each([
    ['POST', '/api/batch'],
    ['POST', `http://localhost${URL}`],
    ['POST', `${URL}/`],
    ['POST', `${URL}/abc`],
    ['PATCH', URL],
    ['PUT', `${URL}/abc`],
    ['DELETE', URL],
    ['DELETE', `${URL}/abc/def`],
    ['DELETE', '/api/collections/posts/truncate'],
    ['POST', '/api/collections'],
    ['POST', '/api/collections/posts/auth-with-password'],
    ['POST', URL.slice(1)],
    ['POST', `/api${URL}`],
    ['PATCH', '/api/collections/posts/records/%E0%A4'],
  ])('BAT-6 BAT-14 refuses %s %s', async (method, url) => {
    expect(await failure(() => parseBatchOperation({ method, url }))).toMatchObject({ status: 400, data: {} });
  });
});

it('BAT-4 gives files to their items, by both forms of the key', () => {
  const file = (name: string) => [{ name } as Upload];
  const files = new Map([
    ['requests.0.cover', file('a')],
    ['requests[0].docs+', file('b')],
    ['requests.0.docs+', file('c')],
    ['requests[12].+docs', file('d')],
    ['requests.x.cover', file('e')],
    ['requests[0]cover', file('f')],
    ['cover', file('g')],
  ]);
  const items = groupFiles(files);
  expect([...items.keys()]).toEqual([0, 12]);
  expect(
    items
      .get(0)!
      .get('cover')!
      .map(({ name }) => name),
  ).toEqual(['a']);
  expect(
    items
      .get(0)!
      .get('docs+')!
      .map(({ name }) => name),
  ).toEqual(['b', 'c']);
  expect(
    items
      .get(12)!
      .get('+docs')!
      .map(({ name }) => name),
  ).toEqual(['d']);
});
