import { createHmac } from 'node:crypto';
import { EnrichRecord, HookRegistry, RealtimeService, RecordsService } from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CronsService } from '../../src/crons/crons.service.js';
import { startRoost } from '../support/roost.js';
import { SseReader } from '../support/sse-reader.js';
import { SHOP_COLLECTIONS } from './shop/src/shop-collections.js';
import { ShopModule } from './shop/src/shop.module.js';
import { eventually } from '../support/eventually.js';

const SECRET = 'webhook-secret';

let roost: TestRoost;
let records: RecordsService;
let root: string;
let ann: string;
let lamp: string;

beforeEach(async () => {
  roost = await startRoost({ imports: [ShopModule.forRoot({ webhookSecret: SECRET })] });
  root = await roost.createSuperuser();
  await roost.createCollections(...SHOP_COLLECTIONS);
  records = roost.app.get(RecordsService, { strict: false });
  const account = { name: 'Ann', email: 'ann@example.com', password: 'ann-password', passwordConfirm: 'ann-password' };
  await roost.inject({ url: '/api/collections/customers/records', body: account });
  ann = await roost.signIn('customers', 'ann@example.com');
  lamp = (await records.create('products', { name: 'A Lamp', sku: 'la-0001', price: 30, cost: 10, stock: 5 })).id;
});
afterEach(() => roost?.close());

const order = (quantity: unknown, token: string | undefined = ann, product = lamp) =>
  roost.inject({ url: `/api/shop/orders/${product}`, body: { quantity }, ...(token ? { token } : {}) });
const stock = async () => (await records.findOne('products', lamp)).get('stock');
const get = (url: string, token?: string) => roost.inject({ url, ...(token ? { token } : {}) });

function webhook(body: string, signature = createHmac('sha256', SECRET).update(body).digest('hex')) {
  const headers = { 'x-signature': signature, 'content-type': 'application/json' };
  return roost.inject({ method: 'POST', url: '/api/shop/payments/webhook', body, headers });
}

describe('a shop on the public surface', () => {
  it('EXT-4 EXT-10 its routes share callers, statuses and error bodies with the built-in ones', async () => {
    const guest = await roost.inject({ url: `/api/shop/orders/${lamp}`, body: { quantity: 1 } });
    expect(guest.status).toBe(401);
    expect(guest.body).toEqual({ code: 401, message: expect.any(String), data: {} });
    expect((await order(1, root)).status).toBe(403);
    const placed = await order(2);
    expect(placed.status).toBe(201);
    expect(placed.body).toMatchObject({ total: 60 });
    expect((await order(99)).body).toEqual({ code: 409, message: 'There are not enough of these.', data: {} });
    expect((await order(1, ann, 'nothing')).status).toBe(404);
    expect(placed.headers['x-request-id']).toMatch(/^\w{16}$/);
    const headers = { origin: 'https://shop.example.com' };
    const foreign = await roost.inject({ url: '/api/shop/staff/greeting', headers });
    expect(foreign.headers['access-control-allow-origin']).toBe('*');
  });

  it('EXT-4 what the DTO of a route refuses has the common error body, nested like the input', async () => {
    const send = (body: unknown) => roost.inject({ url: `/api/shop/orders/${lamp}`, token: ann, body });
    expect(await send({ quantity: 'two' })).toMatchObject({
      status: 400,
      body: {
        code: 400,
        message: expect.any(String),
        data: { quantity: { code: 'validation_only_int_constraint', message: 'quantity must be an integer number' } },
      },
    });
    const refused = await send({ quantity: 0, gift: { card: 'x'.repeat(201) } });
    expect(refused.body.data).toEqual({
      quantity: { code: 'validation_min_greater_equal_than_required', message: expect.any(String) },
      gift: { card: { code: 'validation_length_too_long', message: expect.any(String) } },
    });
    expect((await send({ quantity: 1, gift: { card: 'Enjoy' } })).status).toBe(201);
  });

  it('EXT-10 tells a controller who is calling, and decorators refuse whom they should', async () => {
    expect((await get('/api/shop/staff/greeting')).body).toEqual({ hello: 'stranger' });
    expect((await get('/api/shop/staff/greeting', ann)).body).toEqual({ hello: 'ann@example.com' });
    const statuses = async (url: string) =>
      Promise.all([get(url), get(url, ann), get(url, root)].map(async (call) => (await call).status));
    expect(await statuses('/api/shop/staff/stock')).toEqual([401, 403, 200]);
  });

  it('EXT-11 the guards themselves decide the same', async () => {
    const statuses = async (url: string) =>
      Promise.all([get(url), get(url, ann), get(url, root)].map(async (call) => (await call).status));
    expect(await statuses('/api/shop/staff/customers')).toEqual([401, 403, 200]);
    expect(await statuses('/api/shop/staff/whoami')).toEqual([401, 200, 200]);
    expect(await statuses('/api/shop/staff/reports/latest')).toEqual([403, 403, 200]);
    expect(await statuses('/api/shop/staff/nothing/latest')).toEqual([404, 404, 404]);
    await order(1);
    expect((await get('/api/shop/staff/orders/latest')).body.ids).toEqual([]);
    expect((await get('/api/shop/staff/orders/latest', ann)).body.ids).toHaveLength(1);
  });

  it('EXT-12 EXT-4 a tag lets a rate limit rule name a route', async () => {
    const rateLimits = { enabled: true, rules: [{ label: 'checkout', maxRequests: 2, duration: 60, audience: '' }] };
    await roost.inject({ method: 'PATCH', url: '/api/settings', token: root, body: { rateLimits } });
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) statuses.push((await order(1)).status);
    expect(statuses).toEqual([201, 201, 429]);
    expect((await get('/api/shop/orders/count', ann)).status).toBe(200);
  });

  it('EXT-20 EXT-21 rules apply to services as the caller they are given', async () => {
    await order(1);
    expect((await get('/api/shop/orders/count', ann)).body).toEqual({ count: 1 });
    const account = {
      name: 'Bob',
      email: 'bob@example.com',
      password: 'bob-password',
      passwordConfirm: 'bob-password',
    };
    await roost.inject({ url: '/api/collections/customers/records', body: account });
    const bob = await roost.signIn('customers', 'bob@example.com');
    expect((await get('/api/shop/orders/count', bob)).body).toEqual({ count: 0 });
    expect(await records.count('orders')).toBe(1);
    const quoted = await records.find('products', { filter: 'name = {:name}', params: { name: '" || id != "' } });
    expect(quoted.items).toEqual([]);
  });

  it('EXT-22 the stock never goes below zero, however many order at once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => order(1)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(5).fill(201), ...Array(7).fill(409)]);
    expect(await stock()).toBe(0);
    expect(await records.count('orders')).toBe(5);
  });

  it('EXT-22 a throw undoes everything: no order, no stock taken, no mail, no message', async () => {
    const told = vi.spyOn(roost.app.get(RealtimeService, { strict: false }), 'publish');
    const mails = roost.mails.length;
    const failing = records.transaction(async () => {
      await records.create('orders', { customer: 'x', product: lamp, quantity: 1, total: 30, state: 'open' });
      await records.update('products', lamp, { 'stock-': 1 });
      throw new Error('changed our mind');
    });
    await expect(failing).rejects.toThrow('changed our mind');
    expect(await records.count('orders')).toBe(0);
    expect(await stock()).toBe(5);
    expect(told).not.toHaveBeenCalled();
    expect(roost.mails).toHaveLength(mails);
  });

  it('EXT-4 a webhook reads the bytes of the body and checks who signed them', async () => {
    const { body } = await order(1);
    const text = JSON.stringify({ order: body.id });
    expect((await webhook(text, 'ab')).status).toBe(401);
    expect((await records.findOne('orders', body.id)).get('state')).toBe('open');
    expect((await webhook(text)).status).toBe(204);
    expect((await webhook(text)).status).toBe(204);
    expect((await records.findOne('orders', body.id)).get('state')).toBe('paid');
    expect((await webhook('not json')).status).toBe(400);
    expect((await webhook('x'.repeat(70_000))).status).toBe(413);
    const large = { method: 'POST', body: new Uint8Array(20_000_000) };
    for (let time = 0; time < 3; time++) {
      expect((await fetch(`${await roost.listen()}/api/shop/payments/webhook`, large)).status).toBe(413);
    }
  });

  it('EXT-6 its crons are listed and can be run', async () => {
    const { body } = await order(2);
    await webhook(JSON.stringify({ order: body.id }));
    const list = (await get('/api/crons', root)).body;
    expect(list).toContainEqual({ id: 'nightly-report', expression: '0 3 * * *' });
    expect(list).toContainEqual({ id: 'ReportsCron.tidy', expression: '@every 3600000ms' });
    const run = await roost.inject({ method: 'POST', url: '/api/crons/nightly-report', token: root });
    expect(run.status).toBe(204);
    await roost.app.get(CronsService, { strict: false }).idle();
    const report = await records.findFirst('reports', "id != ''");
    expect([report!.get('orders'), report!.get('revenue')]).toEqual([1, 60]);
  });

  it('EXT-23 EXT-31 an order is thanked for by mail after the commit, once', async () => {
    const before = roost.mails.length;
    const { body } = await order(1);
    await eventually(() => expect(roost.mails.length).toBe(before + 1));
    expect(roost.mails.at(-1)).toMatchObject({
      to: [{ address: 'ann@example.com' }],
      subject: `Your order ${body.id}`,
      text: 'Thank you. It comes to 30.',
    });
  });

  it('EXT-30 EXT-31 EXT-33 hooks change, refuse and enrich, whoever writes', async () => {
    const url = `/api/collections/products/records/${lamp}`;
    expect((await get(url)).body).toMatchObject({ slug: 'a-lamp', price: 30 });
    expect((await get(url)).body).not.toHaveProperty('cost');
    expect((await get(url, root)).body).toMatchObject({ cost: 10, margin: 20 });
    await order(1);
    const refused = await roost.inject({ method: 'DELETE', url, token: root });
    expect(refused).toMatchObject({ status: 400, body: { message: 'The product has been ordered.' } });
    await expect(records.delete('products', lamp)).rejects.toThrow('The product has been ordered.');
    const batch = { requests: [{ method: 'DELETE', url }] };
    await roost.inject({ method: 'PATCH', url: '/api/settings', token: root, body: { batch: { enabled: true } } });
    expect((await roost.inject({ url: '/api/batch', body: batch, token: root })).status).toBe(400);
    expect(await records.count('products')).toBe(1);
  });

  it('EXT-34 collections without hooks have none to run', () => {
    const hooks = roost.app.get(HookRegistry, { strict: false });
    const other = { id: 'pbc_other', name: 'other' };
    expect(hooks.has(EnrichRecord, { id: 'pbc_x', name: 'products' })).toBe(true);
    expect(hooks.has(EnrichRecord, other)).toBe(false);
  });

  it('EXT-41 a field type of its own is defined, cast, checked and filtered like the others', async () => {
    expect((await records.findOne('products', lamp)).get('sku')).toBe('LA-0001');
    const body = { name: 'Chair', sku: 'LA-1', stock: 1 };
    const refused = await roost.inject({ url: '/api/collections/products/records', token: root, body });
    expect(refused.status).toBe(400);
    expect(refused.body.data.sku.code).toBe('validation_invalid_sku');
    const found = await get(`/api/collections/products/records?filter=${encodeURIComponent('sku ~ "la-"')}`);
    expect(found.body.items.map(({ id }: { id: string }) => id)).toEqual([lamp]);
    const wrong = { name: 'bad', type: 'base', fields: [{ name: 'code', type: 'sku', digits: 40 }] };
    const collection = await roost.inject({ url: '/api/collections', token: root, body: wrong });
    expect(collection.body.data.fields['1'] ?? collection.body.data.fields['0']).toMatchObject({
      digits: { code: 'validation_out_of_range' },
    });
    const { fields } = (await get('/api/collections/products', root)).body;
    expect(fields.find(({ name }: { name: string }) => name === 'sku')).toMatchObject({ type: 'sku', digits: 4 });
  });

  it('EXT-25 its controllers stand in the OpenAPI document, as their decorators describe them', async () => {
    const { paths } = (await get('/api/openapi.json', root)).body;
    expect(paths['/api/shop/orders/{product}'].post).toMatchObject({ summary: 'Orders a product', tags: ['shop'] });
  });

  it('EXT-42 an OAuth2 provider of its own is offered like the others', async () => {
    const providers = (await get('/api/collections/meta/oauth2-providers', root)).body;
    expect(providers).toContainEqual(expect.objectContaining({ name: 'acme', displayName: 'Acme' }));
  });

  it('EXT-23 a topic of its own reaches whoever listens to it', async () => {
    const { port } = new URL(await roost.listen());
    const stream = await SseReader.connect({ port: Number(port) });
    try {
      const subscription = { clientId: stream.clientId, subscriptions: ['shop/stock'] };
      await roost.inject({ url: '/api/realtime', body: subscription });
      await order(2);
      const [message] = await stream.receive(1);
      expect(message).toMatchObject({ event: 'shop/stock', data: JSON.stringify({ product: lamp, stock: 3 }) });
    } finally {
      stream.close();
    }
  });
});
