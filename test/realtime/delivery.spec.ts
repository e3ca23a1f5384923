import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { SseReader } from '../support/sse-reader.js';

let roost: TestRoost;
let port: number;
beforeAll(async () => {
  roost = await startRoost();
  await roost.createCollections({
    name: 'posts',
    type: 'base',
    listRule: '',
    viewRule: '',
    createRule: '',
    updateRule: '',
    deleteRule: '',
    fields: [{ name: 'title', type: 'text' }],
  });
  port = Number(new URL(await roost.listen()).port);
});
afterAll(() => roost.close());

it('smoke', async () => {
  const reader = await SseReader.connect({ port });
  const sub = await roost.inject({
    url: '/api/realtime',
    body: { clientId: reader.clientId, subscriptions: ['posts/*'] },
  });
  expect([sub.status, sub.text]).toEqual([204, '']);
  const created = await roost.inject({ url: '/api/collections/posts/records', body: { title: 'x' } });
  expect(created.status).toBe(200);
  console.log(await reader.receive(1));
  await roost.inject({ method: 'DELETE', url: `/api/collections/posts/records/${created.body.id}` });
  console.log(await reader.receive(2));
  reader.close();
});
