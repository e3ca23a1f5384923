import { describe, expect, it } from 'vitest';
import { parseBatchOperation } from '../../src/batch/batch-operation.js';
import { readBatchRequests } from '../../src/batch/read-batch-requests.js';
import { groupFiles } from '../../src/batch/batch-files.js';
import type { ApiError } from '../../src/kernel/errors/api-error.js';
import type { Upload } from '../../src/kernel/files/upload.js';

const URL = '/api/collections/posts/records';
const OK = { method: 'POST', url: URL };

function failure(work: () => unknown): ApiError {
  try {
    work();
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
  ])('BAT-3 cannot read %j', (values) => {
    expect(refusal(values)).toMatchObject({ status: 400, data: {} });
  });

  it.each([[{}], [{ requests: null }], [{ requests: [] }]])('BAT-5 misses the requests in %j', (values) => {
    expect(refusal(values)).toMatchObject({ status: 400, data: { requests: { code: 'validation_required' } } });
  });

  it('BAT-5 refuses more requests than allowed and takes as many as allowed', () => {
    const requests = Array.from({ length: 3 }, () => OK);
    expect(refusal({ requests }, 2)).toMatchObject({ data: { requests: { code: 'validation_length_too_long' } } });
    expect(readBatchRequests({ requests }, 3)).toHaveLength(3);
  });

  it('BAT-5 lists what is wrong with each request, and only those', () => {
    const requests = [
      OK,
      {},
      { method: 'GET', url: URL },
      { method: 'post', url: '' },
      { method: 5, url: `${URL}?${'x'.repeat(2000)}` },
      { method: 'PUT', url: '€'.repeat(2000) },
      { method: 'PUT', url: '🙂'.repeat(2000) },
    ];
    expect(refusal({ requests }).data).toEqual({
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

  it('BAT-4 takes null for what is missing', () => {
    expect(readBatchRequests({ requests: [{ ...OK, body: null, headers: null }] }, 1)).toEqual([
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
  ])('BAT-6 BAT-14 refuses %s %s', (method, url) => {
    expect(failure(() => parseBatchOperation({ method, url }))).toMatchObject({ status: 400, data: {} });
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
