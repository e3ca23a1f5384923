import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Injectable, Module } from '@nestjs/common';
import { BeforeBatch, type BatchEvent } from '../../src/batch/batch.hooks.js';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import { AnswerLimits } from '../../src/records/read/answer-limits.js';
import { RecordsService } from '../../src/records/records.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRequest, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let records: RecordsService;
let superuser: string;

@Injectable()
class BatchHooks {
  @BeforeBatch()
  check(event: BatchEvent): void {
    if (event.caller.request.headers['x_refuse']) throw new ForbiddenError('No batches today.');
    if (event.caller.request.headers['x_first']) event.requests = event.requests.slice(0, 1);
  }
}

@Module({ providers: [BatchHooks] })
class BatchHooksModule {}

const settings = (batch: object) => roost.app.get(SettingsService, { strict: false }).patch({ batch });
const path = (name: string, id?: string) => `/api/collections/${name}/records${id ? `/${id}` : ''}`;
const create = (name: string, body: object, more: object = {}) => ({ method: 'POST', url: path(name), body, ...more });
const update = (name: string, id: string, body: object) => ({ method: 'PATCH', url: path(name, id), body });
const upsert = (name: string, body: object) => ({ method: 'PUT', url: path(name), body });
const remove = (name: string, id: string) => ({ method: 'DELETE', url: path(name, id) });
const post = (body: unknown, more: Partial<TestRequest> = {}) =>
  roost.inject({ method: 'POST', url: '/api/batch', body, ...more });
const batch = (requests: readonly unknown[], token?: string, more: Partial<TestRequest> = {}) =>
  post({ requests }, { token, ...more });

beforeAll(async () => {
  roost = await startRoost({ imports: [BatchHooksModule] });
  records = roost.app.get(RecordsService, { strict: false });
  superuser = await roost.createSuperuser();
  const fields = [
    { name: 'title', type: 'text', required: true, max: 50 },
    { name: 'n', type: 'number' },
    { name: 'tags', type: 'json' },
  ];
  const open = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' };
  await roost.createCollections(
    { name: 'open', type: 'base', ...open, fields },
    { name: 'closed', type: 'base', fields },
    {
      name: 'guarded',
      type: 'base',
      ...open,
      createRule: "title = 'ok'",
      updateRule: "title = 'ok'",
      deleteRule: "title = 'ok'",
      fields,
    },
    {
      name: 'seen',
      type: 'base',
      ...open,
      createRule:
        "@request.context = 'batch' && @request.headers.x_item = 'item' && @request.headers.x_batch = 'batch' && @request.query.q = '1' && @request.query.outer = null",
      fields,
    },
    {
      name: 'methods',
      type: 'base',
      ...open,
      createRule: "@request.method = 'POST'",
      updateRule: "@request.method = 'PATCH'",
      deleteRule: "@request.method = 'DELETE'",
      fields,
    },
    { name: 'listed', type: 'view', listRule: '', viewRule: '', viewQuery: 'select id, title from open' },
    { name: 'members', type: 'auth', ...open, fields: [] },
    { name: 'owned', type: 'base', ...open, createRule: "@request.auth.id != '' && title = @request.auth.id", fields },
  );
});
afterAll(() => roost.close());
beforeEach(() => settings({ enabled: true, maxRequests: 10, timeout: 3, maxBodySize: 0 }));

describe('asking for a batch', () => {
  it('BAT-1 BAT-3 answers 403 to everybody when it is disabled or takes no requests, before it reads the body', async () => {
    for (const change of [{ enabled: false }, { enabled: true, maxRequests: 0 }]) {
      await settings(change);
      for (const token of [undefined, superuser]) {
        const answer = await post('{nonsense', { token, headers: { 'content-type': 'application/json' } });
        expect(answer.body).toEqual({ code: 403, message: expect.any(String), data: {} });
      }
    }
  });

  it('BAT-1 BAT-3 answers 413 to a body over the limit, declared or counted', async () => {
    await settings({ maxBodySize: 1000 });
    const item = create('open', { title: 'x', tags: 'y'.repeat(1000) });
    expect((await batch([item])).body).toEqual({ code: 413, message: expect.any(String), data: {} });
    const form = new FormData();
    form.append('@jsonPayload', JSON.stringify({ requests: [create('open', { title: 'x' })] }));
    form.append('requests.0.file', new Blob(['z'.repeat(1000)]), 'z.txt');
    expect((await post(form)).status).toBe(413);
    expect((await batch([create('open', { title: 'x' })])).status).toBe(200);
  });

  it('BAT-1 a timeout and a size of 0 stand for what they are without settings', async () => {
    await settings({ timeout: 0, maxBodySize: 0 });
    expect((await batch([create('open', { title: 'x', tags: 'y'.repeat(1000) })])).status).toBe(200);
    await settings({ timeout: 3 });
  });

  it.each(['{', '[]', '{"requests":{}}', '{"requests":[1]}', '{"requests":[{"body":1}]}'])(
    'BAT-3 cannot read %s',
    async (text) => {
      const answer = await post(text, { headers: { 'content-type': 'application/json' } });
      expect(answer.body).toEqual({ code: 400, message: expect.any(String), data: {} });
    },
  );

  it.each(['application/x-www-form-urlencoded', 'text/plain'])('BAT-4 refuses %s', async (type) => {
    const sound = new URLSearchParams({
      '@jsonPayload': JSON.stringify({ requests: [create('open', { title: 'x' })] }),
    });
    for (const text of ['requests=1', sound.toString()]) {
      const answer = await post(text, { headers: { 'content-type': type } });
      expect(answer.body).toEqual({ code: 400, message: expect.any(String), data: {} });
    }
  });

  it('BAT-5 answers what is wrong with the form, and runs nothing', async () => {
    const before = await records.count('open');
    const many = await batch(Array.from({ length: 11 }, () => create('open', { title: 'x' })));
    expect(many.body).toMatchObject({ code: 400, data: { requests: { code: 'validation_length_too_long' } } });
    const answer = await batch([create('open', { title: 'x' }), { method: 'GET', url: '' }]);
    expect(answer.status).toBe(400);
    expect(answer.body.data).toEqual({
      requests: {
        1: {
          method: { code: 'validation_in_invalid', message: expect.any(String) },
          url: { code: 'validation_required', message: expect.any(String) },
        },
      },
    });
    const long = (length: number) => batch([{ method: 'POST', url: '/'.padEnd(length, 'ä') }]);
    expect((await long(2001)).body.data.requests).toEqual({
      0: { url: expect.objectContaining({ code: 'validation_length_too_long' }) },
    });
    expect((await long(2000)).body.data.requests).toEqual({
      0: expect.objectContaining({ code: 'batch_request_failed' }),
    });
    expect(await records.count('open')).toBe(before);
    await settings({ maxRequests: 11 });
    expect((await batch(Array.from({ length: 11 }, () => create('open', { title: 'x' })))).status).toBe(200);
  });

  it('EXT-31 BeforeBatch may refuse or change it', async () => {
    const items = [create('open', { title: 'a' }), create('open', { title: 'b' })];
    const refused = await batch(items, undefined, { headers: { 'x-refuse': '1' } });
    expect(refused.body).toMatchObject({ code: 403, message: 'No batches today.' });
    expect((await batch(items, undefined, { headers: { 'x-first': '1' } })).body).toHaveLength(1);
  });
});

describe('running a batch', () => {
  it('BAT-7 BAT-10 answers in order with what each request would have answered', async () => {
    const { id } = await records.create('open', { title: 'old' });
    const gone = await records.create('open', { title: 'gone' });
    const answer = await batch([
      create('open', { title: 'new', n: 1 }),
      update('open', id, { title: 'changed', 'n+': 2 }),
      upsert('open', { id: 'upserted0000001', title: 'created' }),
      upsert('open', { id: 'upserted0000001', title: 'updated' }),
      remove('open', gone.id),
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual([
      { status: 200, body: expect.objectContaining({ title: 'new', n: 1, collectionName: 'open' }) },
      { status: 200, body: expect.objectContaining({ id, title: 'changed', n: 2 }) },
      { status: 200, body: expect.objectContaining({ id: 'upserted0000001', title: 'created' }) },
      { status: 200, body: expect.objectContaining({ id: 'upserted0000001', title: 'updated' }) },
      { status: 204, body: null },
    ]);
    expect((await records.findOne('open', 'upserted0000001')).get('title')).toBe('updated');
    await expect(records.findOne('open', gone.id)).rejects.toMatchObject({ status: 404 });
  });

  it('BAT-8 BAT-10 an item has its own fields, the batch picks from the elements', async () => {
    const items = [{ ...create('open', { title: 'x' }), url: `${path('open')}?fields=title` }];
    expect((await batch(items)).body).toEqual([{ status: 200, body: { title: 'x' } }]);
    const picked = await post({ requests: items }, { url: '/api/batch?fields=status' });
    expect(picked.body).toEqual([{ status: 200 }]);
  });

  it('BAT-8 BAT-9 RULE-3 LIST-5 rules see the batch context, the query of the item, and both headers', async () => {
    const item = (headers: object, query = '?q=1') => ({
      ...create('seen', { title: 'x' }),
      url: path('seen') + query,
      headers,
    });
    const more = { url: '/api/batch?outer=1&q=2', headers: { 'x-batch': 'batch', 'x-item': 'overlaid' } };
    const send = (headers: object, query?: string) => post({ requests: [item(headers, query)] }, more);
    expect((await send({ 'X-Item': 'item' })).status).toBe(200);
    expect((await send({})).status).toBe(400);
    expect((await send({ 'X-Item': 'item' }, ''))!.status).toBe(400);
    expect((await send({ 'X-Item': 'item', 'X-Batch': 'other' })).status).toBe(400);
    expect((await send({ 'X-Item': 'item' }, '?q=1&q=2')).status).toBe(200);
    expect((await send({ 'X-Item': 'item' }, '?q=2&q=1')).status).toBe(400);
  });

  it('BAT-8 values are taken as JSON, not as a form', async () => {
    const form = new FormData();
    form.append('@jsonPayload', JSON.stringify({ requests: [create('open', { title: 'true', tags: ['1', 'true'] })] }));
    expect((await post(form)).body[0].body).toMatchObject({ title: 'true', tags: ['1', 'true'] });
  });

  it('REC-3 BAT-7 only an upsert changes a record that is there', async () => {
    const { id } = await records.create('open', { title: 'old' });
    const answer = await batch([create('open', { id, title: 'new' })]);
    expect(answer.status).toBe(400);
    expect(answer.body.data.requests['0'].response).toMatchObject({ code: 400, data: { id: expect.anything() } });
    expect((await records.findOne('open', id)).get('title')).toBe('old');
  });

  it('REC-3 BAT-15 RULE-3 an upsert has the method of what it becomes', async () => {
    const id = 'methods00000001';
    const answer = await batch([upsert('methods', { id, title: 'a' }), upsert('methods', { id, title: 'b' })]);
    expect(answer.status).toBe(200);
  });

  it('BAT-8 RULE-3 an item has its own method', async () => {
    const id = 'methods00000002';
    const requests = [
      create('methods', { id, title: 'a' }),
      update('methods', id, { title: 'b' }),
      remove('methods', id),
    ];
    expect((await batch(requests)).body).toMatchObject([{ status: 200 }, { status: 200 }, { status: 204 }]);
  });

  it('BAT-2 BAT-9 runs as the caller of the batch, whatever an item claims', async () => {
    const { id } = await records.create('members', { email: 'a@example.com', password: '1234567890' });
    const token = await roost.signIn('members', 'a@example.com');
    const item = create('owned', { title: id });
    expect((await batch([item], token)).status).toBe(200);
    for (const name of ['Authorization', 'authorization', 'AUTHORIZATION']) {
      expect((await batch([{ ...item, headers: { [name]: token } }])).status).toBe(400);
      expect((await batch([create('closed', { title: 'x' }, { headers: { [name]: superuser } })])).status).toBe(400);
    }
    expect((await batch([create('closed', { title: 'x' })], superuser)).status).toBe(200);
  });

  it('BAT-9 an item cannot set headers of identity or transport', async () => {
    await roost.createCollections({
      name: 'headers',
      type: 'base',
      createRule:
        "@request.headers.host != 'evil' && @request.headers.cookie:isset = false && @request.headers.x_real:isset = false && @request.headers.content_length != '1' && @request.headers.content_type = 'application/json'",
      fields: [],
    });
    const service = roost.app.get(SettingsService, { strict: false });
    await service.patch({ trustedProxy: { headers: ['X-Real'] } });
    const headers = { Host: 'evil', Cookie: 'a=b', 'X-Real': '10.0.0.1', 'Content-Length': '1', 'content-type': 'x' };
    expect((await batch([{ method: 'POST', url: path('headers'), headers }])).status).toBe(200);
    await service.patch({ trustedProxy: { headers: [] } });
  });

  it('BAT-7 later items see what earlier ones did, in rules and validation', async () => {
    const id = 'sequence0000001';
    const answer = await batch([
      create('guarded', { id, title: 'ok' }),
      update('guarded', id, { title: 'not ok' }),
      remove('guarded', id),
    ]);
    expect(answer.body.data.requests).toEqual({ 2: expect.objectContaining({ code: 'batch_request_failed' }) });
    expect(answer.body.code).toBe(404);
    const fine = await batch([create('guarded', { id, title: 'ok' }), remove('guarded', id)]);
    expect(fine.body.map(({ status }: { status: number }) => status)).toEqual([200, 204]);
  });

  it('BAT-7 REF-2 rules of later items see what earlier ones did to the account of the caller', async () => {
    const open = { createRule: '', updateRule: '', deleteRule: '' };
    await roost.createCollections(
      { name: 'voters', type: 'auth', ...open, fields: [{ name: 'votes', type: 'number' }] },
      { name: 'votes', type: 'base', createRule: '@request.auth.votes = 1', fields: [] },
      { name: 'notes', type: 'base', createRule: "@request.auth.id != ''", fields: [] },
    );
    const password = 'voter-password';
    const account = { email: 'voter@example.com', password, passwordConfirm: password };
    const voter = await records.create('voters', { ...account, votes: 0 });
    const token = await roost.signIn('voters', account.email);
    const vote = (step: number) => [update('voters', voter.id, { 'votes+': step }), create('votes', {})];
    expect((await batch(vote(2), token)).body.code).toBe(400);
    expect((await batch(vote(1), token)).status).toBe(200);
    expect((await batch(vote(1), token)).body.code).toBe(400);
    const changed = { password: 'another-password', passwordConfirm: 'another-password', oldPassword: password };
    expect(
      (await batch([update('voters', voter.id, { ...changed, votes: 1 }), create('votes', {})], token)).status,
    ).toBe(200);
    const again = await roost.signIn('voters', account.email);
    const goneBefore = await batch([remove('voters', voter.id), create('notes', {})], again);
    expect(goneBefore.body.data.requests).toEqual({ 1: expect.objectContaining({ code: 'batch_request_failed' }) });
    expect(await records.count('notes')).toBe(0);
  });
});

describe('an item that fails', () => {
  it('BAT-11 gives the batch its code and message, and its whole answer below its index', async () => {
    const before = await records.count('open');
    const answer = await batch([create('open', { title: 'x' }), create('open', { n: 1 }), create('open', { n: 2 })]);
    expect(answer.status).toBe(400);
    const { message } = answer.body;
    expect(answer.body).toEqual({
      code: 400,
      message,
      data: {
        requests: {
          1: {
            code: 'batch_request_failed',
            message: expect.any(String),
            response: {
              code: 400,
              message,
              data: { title: expect.objectContaining({ code: 'validation_required' }) },
            },
          },
        },
      },
    });
    expect(await records.count('open')).toBe(before);
  });

  it.each([
    ['closed rule', 403, create('closed', { title: 'x' })],
    ['unknown collection', 404, create('nothing', { title: 'x' })],
    ['unknown record', 404, update('open', 'nobody', {})],
    ['unknown record', 404, remove('open', 'nobody')],
    ['rule that does not hold', 400, create('guarded', { title: 'x' })],
    ['view collection', 400, create('listed', { title: 'x' })],
    ['malformed fields', 400, { ...create('open', { title: 'x' }), url: `${path('open')}?fields=a:b(` }],
    ['nested batch', 400, { method: 'POST', url: '/api/batch', body: { requests: [] } }],
    ['absolute URL', 400, { method: 'POST', url: `http://127.0.0.1${path('open')}`, body: { title: 'x' } }],
    ['realtime (RT-32)', 400, { method: 'POST', url: '/api/realtime', body: { clientId: 'c', subscriptions: [] } }],
    ['other route', 400, { method: 'DELETE', url: '/api/collections/open/truncate' }],
    ['other route', 400, { method: 'POST', url: '/api/collections/members/auth-with-password', body: {} }],
  ])('BAT-6 BAT-11 BAT-14 answers 400 with the code of the item: %s', async (_what, code, item) => {
    const before = await records.count('open');
    const answer = await batch([create('open', { title: 'before' }), item]);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(code);
    expect(Object.keys(answer.body.data.requests)).toEqual(['1']);
    expect(answer.body.data.requests[1].response.code).toBe(code);
    expect(await records.count('open')).toBe(before);
  });

  it('BAT-8 REC-10 OPS-21 is limited by its own label, one by one', async () => {
    const service = roost.app.get(SettingsService, { strict: false });
    const rules = [
      { label: 'open:create', audience: '', duration: 60, maxRequests: 2 },
      { label: 'open:update', audience: '', duration: 60, maxRequests: 1 },
    ];
    await service.patch({ rateLimits: { enabled: true, rules } });
    const answer = await batch(['a', 'b', 'c'].map((title) => create('open', { title })));
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe(429);
    expect(answer.body.data.requests[2].response.code).toBe(429);
    await service.patch({ rateLimits: { enabled: true, rules } });
    const id = 'limited00000001';
    const upserts = await batch([1, 2, 3].map((n) => upsert('open', { id, title: 'x', n })));
    expect(upserts.body).toMatchObject({ code: 429, data: { requests: { 2: {} } } });
    const [creates, updates] = rules.map((rule) => ({ ...rule, maxRequests: rule.label === 'open:create' ? 9 : 1 }));
    await service.patch({ rateLimits: { enabled: true, rules: [creates, updates] } });
    const digits = await batch([1, 2, 3].map((n) => upsert('open', { id: 123456789012345, title: 'x', n })));
    expect(digits.body).toMatchObject({ code: 429, data: { requests: { 2: {} } } });
    await service.patch({ rateLimits: { enabled: false } });
  });

  it('OPS-21 an item is limited by its path, however it is encoded', async () => {
    const service = roost.app.get(SettingsService, { strict: false });
    const rules = [{ label: '/api/collections/open/', audience: '', duration: 60, maxRequests: 2 }];
    await service.patch({ rateLimits: { enabled: true, rules } });
    const answer = await batch(['open', '%6fpen', 'o%70en'].map((name) => create(name, { title: name })));
    expect(answer.body).toMatchObject({ code: 429, data: { requests: { 2: { response: { code: 429 } } } } });
    await service.patch({ rateLimits: { enabled: false } });
  });

  it('GRD-7 an item cannot claim another address to get around a limit', async () => {
    const service = roost.app.get(SettingsService, { strict: false });
    const rules = [{ label: 'open:create', audience: '', duration: 60, maxRequests: 2 }];
    await service.patch({ rateLimits: { enabled: true, rules }, trustedProxy: { headers: ['X-Real'] } });
    const from = (ip: string) => create('open', { title: ip }, { headers: { 'X-Real': ip } });
    const answer = await batch([from('10.0.0.1'), from('10.0.0.2'), from('10.0.0.3')]);
    expect(answer.body).toMatchObject({ code: 429, data: { requests: { 2: { response: { code: 429 } } } } });
    await service.patch({ rateLimits: { enabled: false }, trustedProxy: { headers: [] } });
  });
});

describe('references', () => {
  it('BAT-16 BAT-17 BAT-18 stand for the ids of earlier records, at any depth', async () => {
    await roost.createCollections({ id: 'targets_id_0001', name: 'targets', type: 'base', createRule: '', fields: [] });
    const relation = { type: 'relation', collectionId: 'targets_id_0001' };
    await roost.createCollections({
      name: 'sources',
      type: 'base',
      createRule: '@request.body.one = "target000000001"',
      updateRule: '',
      fields: [
        { name: 'one', ...relation },
        { name: 'many', ...relation, maxSelect: 5 },
        { name: 'data', type: 'json' },
      ],
    });
    const to = (index: number) => `@request.data.requests.${index}.body.id`;
    const answer = await batch([
      { method: 'POST', url: `${path('targets')}?fields=created`, body: { id: 'target000000001' } },
      { method: 'PUT', url: path('targets'), body: {} },
      create('sources', { one: to(0), many: [to(0), to(1)], data: { list: [to(1)], text: `x${to(0)}` } }),
      { method: 'PUT', url: path('sources'), body: { id: 'source000000001', one: to(0), many: [to(0)] } },
      { method: 'PATCH', url: path('sources', 'source000000001'), body: { 'many+': to(1) } },
    ]);
    expect(answer.status).toBe(200);
    const [first, second, third, , last] = answer.body.map(({ body }: { body: unknown }) => body);
    expect(first).not.toHaveProperty('id');
    expect(third).toMatchObject({
      one: 'target000000001',
      many: ['target000000001', second.id],
      data: { list: [second.id], text: `x${to(0)}` },
    });
    expect(last.many).toEqual(['target000000001', second.id]);
  });

  it('BAT-18 fail the item when they name no earlier record', async () => {
    const { id } = await records.create('open', { title: 'x' });
    for (const index of [1, 2, 9, 0]) {
      const answer = await batch([
        remove('open', id),
        create('open', { title: `@request.data.requests.${index}.body.id` }),
        create('open', { title: 'x' }),
      ]);
      expect(answer.body).toMatchObject({
        code: 400,
        data: { requests: { 1: { response: { data: { title: { code: 'validation_invalid_batch_reference' } } } } } },
      });
    }
  });

  it('BAT-19 are ordinary strings outside a batch', async () => {
    const title = '@request.data.requests.0.body.id';
    const answer = await roost.inject({ url: path('open'), body: { title } });
    expect(answer.body.title).toBe(title);
  });
});

it('EXP-12 counts what is expanded in all items as one answer, and stores nothing when that is too much', async () => {
  const { id: collectionId } = (await roost.inject({ url: '/api/collections/open', token: superuser })).body as {
    id: string;
  };
  const fields = [{ name: 'to', type: 'relation', collectionId }];
  const open = { listRule: '', viewRule: '', createRule: '' };
  await roost.createCollections({ name: 'leading', type: 'base', ...open, fields });
  const { id: to } = (await roost.inject({ method: 'POST', url: path('open'), body: { title: 'x' } })).body as {
    id: string;
  };
  const limits = roost.app.get(AnswerLimits, { strict: false });
  const usual = limits.expandedRecords;
  const items = (count: number) =>
    Array.from({ length: count }, () => ({ method: 'POST', url: `${path('leading')}?expand=to`, body: { to } }));
  try {
    limits.expandedRecords = 3;
    expect((await batch(items(3))).status).toBe(200);
    const refused = await batch(items(4));
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { data: { requests: { 3: { response: { data: { expand: { code: 'expand_too_large' } } } } } } },
    ]);
    expect((await roost.inject({ url: path('leading') })).body).toMatchObject({ totalItems: 3 });
  } finally {
    limits.expandedRecords = usual;
  }
});

it('OPS-39 refuses a batch whose answers are too large together, and counts what is asked for only', async () => {
  const limits = roost.app.get(AnswerLimits, { strict: false });
  const usual = limits.batchCharacters;
  const title = 'answers of a size';
  const made = () => create('open', { title, tags: ['x'.repeat(2_000), [[{ deep: 'y'.repeat(2_000) }]]] });
  const picked = () => ({ ...made(), url: `${path('open')}?fields=id` });
  const times = (count: number, item: () => object) => Array.from({ length: count }, item);
  try {
    limits.batchCharacters = 10_000;
    expect((await batch(times(2, made))).status).toBe(200);
    const refused = await batch(times(3, made));
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { data: { requests: { 2: { response: { code: 400, message: expect.stringMatching('"fields"') } } } } },
    ]);
    expect((await batch(times(8, picked))).status).toBe(200);
    const filter = encodeURIComponent(`title = '${title}'`);
    expect((await roost.inject({ url: `${path('open')}?filter=${filter}` })).body).toMatchObject({ totalItems: 10 });
  } finally {
    limits.batchCharacters = usual;
  }
});
