import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogsService } from '../../src/logs/logs.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let token: string;

const get = (url: string, as: string | undefined = token) => roost.inject({ url, token: as });
const messages = (body: { items: { message: string }[] }) => body.items.map(({ message }) => message);

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser();
  await roost.inject({ method: 'DELETE', url: '/api/logs', token });
  const logs = roost.app.get(LogsService, { strict: false });
  roost.clock.freeze(Date.parse('2030-05-01T10:59:59.999Z'));
  logs.add({ level: 0, message: 'first', data: { status: 200, url: '/api/a' } });
  logs.add({ level: 8, message: 'second', data: { status: 404, url: '/api/b' } });
  roost.clock.advance(1);
  logs.add({ level: 4, message: 'third', data: { status: 500, url: '/other' } });
  roost.clock.reset();
});
afterAll(() => roost.close());

describe('GET /api/logs', () => {
  it('OPS-90 is a page of entries, newest first', async () => {
    const { status, body } = await get('/api/logs');
    expect(status).toBe(200);
    expect(messages(body)).toEqual(['third', 'second', 'first']);
    expect(body).toMatchObject({ page: 1, perPage: 30, totalItems: 3, totalPages: 1 });
    expect(body.items[0]).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{15}$/),
      created: '2030-05-01 11:00:00.000Z',
      level: 4,
      message: 'third',
      data: { status: 500, url: '/other' },
    });
  });

  it.each([
    ["data.status >= 400 && data.url ~ '/api/'", ['second']],
    ['level = 8 || level = 4', ['third', 'second']],
    ["message ~ 'ir'", ['third', 'first']],
    ["created >= '2030-05-01 11:00:00.000Z'", ['third']],
    ["data ~ 'other'", ['third']],
    ["id = 'nothing'", []],
  ])('OPS-90 filters by %s', async (filter, expected) => {
    expect(messages((await get(`/api/logs?filter=${encodeURIComponent(filter)}`)).body)).toEqual(expected);
  });

  it.each([
    ['rowid', ['first', 'second', 'third']],
    ['@rowid', ['first', 'second', 'third']],
    ['-rowid', ['third', 'second', 'first']],
    ['-level,rowid', ['second', 'third', 'first']],
    ['data.status', ['first', 'second', 'third']],
  ])('OPS-90 sorts by %s', async (sort, expected) => {
    expect(messages((await get(`/api/logs?sort=${encodeURIComponent(sort)}`)).body)).toEqual(expected);
  });

  it('OPS-90 sorts at random, pages, skips the total and picks fields', async () => {
    expect(messages((await get('/api/logs?sort=@random')).body).sort()).toEqual(['first', 'second', 'third']);
    const { body } = await get('/api/logs?page=2&perPage=2&skipTotal=1&fields=message');
    expect(body).toMatchObject({ items: [{ message: 'first' }], totalItems: -1 });
    expect(Object.keys(body.items[0])).toEqual(['message']);
  });

  it.each(['filter=nothing%3D1', 'filter=(', 'sort=nothing', 'sort=-', 'page=x', `filter=${'a'.repeat(4000)}`])(
    'OPS-90 answers 400 to %s',
    async (query) => {
      expect(await get(`/api/logs?${query}`)).toMatchObject({ status: 400, body: { code: 400, data: {} } });
    },
  );

  it('is for superusers', async () => {
    for (const url of ['/api/logs', '/api/logs/stats', '/api/logs/x']) expect((await get(url, '')).status).toBe(401);
    expect((await roost.inject({ method: 'DELETE', url: '/api/logs' })).status).toBe(401);
  });
});

it('OPS-91 shows one entry, or 404', async () => {
  const { body } = await get("/api/logs?filter=message%3D'second'");
  expect((await get(`/api/logs/${body.items[0].id}`)).body).toEqual(body.items[0]);
  expect((await get('/api/logs/nothing')).status).toBe(404);
});

it('OPS-92 counts by hour, oldest first', async () => {
  expect((await get(`/api/logs/stats?filter=${encodeURIComponent("created > '2030'")}`)).body).toEqual([
    { date: '2030-05-01 10:00:00.000Z', total: 2 },
    { date: '2030-05-01 11:00:00.000Z', total: 1 },
  ]);
  expect(
    (await get("/api/logs/stats?filter=message='second'%7C%7Cmessage='third'")).body.map(
      ({ total }: { total: number }) => total,
    ),
  ).toEqual([1, 1]);
  expect((await get('/api/logs/stats?filter=nothing%3D1')).status).toBe(400);
  expect((await get('/api/logs/stats?filter=((')).status).toBe(400);
});

it('OPS-93 deletes everything', async () => {
  expect((await roost.inject({ method: 'DELETE', url: '/api/logs', token })).status).toBe(204);
  // The deletion itself is logged afterwards.
  const { body } = await get("/api/logs?filter=message!~'DELETE'");
  expect(body.totalItems).toBe(0);
});

it('OPS-87 every entry of many is stored once and in order, however many they are', async () => {
  const logs = roost.app.get(LogsService, { strict: false });
  for (const count of [199, 200, 201, 251, 1049]) {
    await logs.deleteAll();
    const sent = Array.from({ length: count }, (_, index) => `entry ${index}`);
    for (const message of sent) logs.add({ level: 0, message, data: { of: count, 'ü"': [message] } });
    const list = () => get(`/api/logs?perPage=1000&sort=@rowid&filter=${encodeURIComponent(`data.of = ${count}`)}`);
    // A list waits three seconds at most for what is being written, which a busy machine may need.
    await expect.poll(async () => (await list()).body.totalItems).toBe(count);
    const { body } = await list();
    expect(messages(body)).toEqual(sent.slice(0, 1000));
    expect(body.items[count % 100].data).toEqual({ of: count, 'ü"': [`entry ${count % 100}`] });
  }
});
