import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const CONTENDERS = 50;

describe('SCALE-16 of fifty who write at the same moment', () => {
  let roost: TestRoost;
  let token: string;
  let counter: string;
  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    await roost.createCollections({ name: 'tags', type: 'base', fields: [{ name: 'name', type: 'text' }] });
    const tags = (await roost.inject({ url: '/api/collections/tags', token })).body as { id: string };
    await roost.createCollections({
      name: 'things',
      type: 'base',
      updateRule: 'left > 0',
      deleteRule: 'left > 0',
      fields: [
        { name: 'count', type: 'number' },
        { name: 'left', type: 'number' },
        { name: 'code', type: 'text' },
        { name: 'tags', type: 'relation', collectionId: tags.id, maxSelect: CONTENDERS },
        { name: 'files', type: 'file', maxSelect: 10 },
      ],
      indexes: ["CREATE UNIQUE INDEX idx_things_code ON things (code) WHERE code != ''"],
    });
    const things = (await roost.inject({ url: '/api/collections/things', token })).body as { id: string };
    const parent = { name: 'parent', type: 'relation', collectionId: things.id };
    await roost.createCollections(
      { name: 'parts', type: 'base', fields: [{ ...parent, cascadeDelete: true }] },
      { name: 'owners', type: 'base', fields: [{ ...parent, required: true }] },
      ...['members', 'guests'].map((name) => ({ name, type: 'auth', createRule: '' })),
    );
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { batch: { enabled: true } } });
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    counter = (await create('things', { count: 0, left: 10 })).body.id as string;
  });

  it('none loses what another has added', async () => {
    const answers = await atOnce(() => patch({ 'count+': 1 }, token));
    expect(answers).toEqual({ 200: CONTENDERS });
    const ids = await Promise.all(
      Array.from({ length: CONTENDERS }, async (_, index) => (await create('tags', { name: `t${index}` })).body.id),
    );
    expect(await atOnce((index) => patch({ 'tags+': ids[index] }, token))).toEqual({ 200: CONTENDERS });
    const stored = await read();
    expect([stored['count'], new Set(stored['tags'] as string[])]).toEqual([CONTENDERS, new Set(ids)]);
  });

  it('no more pass a rule than it lets through', async () => {
    expect(await atOnce(() => patch({ 'left-': 1 }))).toEqual({ 200: 10, 404: CONTENDERS - 10 });
    expect((await read())['left']).toBe(0);
  });

  it('one gets a value that only one may have', async () => {
    const code = `only one ${counter}`;
    expect(await atOnce(() => create('things', { code }))).toEqual({ 200: 1, 400: CONTENDERS - 1 });
    const url = `/api/collections/things/records?filter=${encodeURIComponent(`code = '${code}'`)}`;
    expect((await roost.inject({ url, token })).body.totalItems).toBe(1);
  });

  it('no more than fit into a list of relations', async () => {
    const ids = await Promise.all(
      Array.from({ length: CONTENDERS }, async (_, index) => (await create('tags', { name: `u${index}` })).body.id),
    );
    const first = (await create('tags', { name: 'first' })).body.id;
    await patch({ tags: [first] }, token);
    expect(await atOnce((index) => patch({ 'tags+': ids[index] }, token))).toEqual({ 200: CONTENDERS - 1, 400: 1 });
    expect((await read())['tags']).toHaveLength(CONTENDERS);
  });

  it('one deletes a record, and nobody refers to it afterwards', async () => {
    const tag = (await create('tags', { name: 'gone' })).body.id as string;
    const url = `/api/collections/tags/records/${tag}`;
    const [deleted, created] = await Promise.all([
      atOnce(() => roost.inject({ method: 'DELETE', url, token })),
      atOnce(() => create('things', { tags: [tag] })),
    ]);
    expect(deleted).toEqual({ 204: 1, 404: CONTENDERS - 1 });
    expect((created[200] ?? 0) + (created[400] ?? 0)).toBe(CONTENDERS);
    const holders = `/api/collections/things/records?filter=${encodeURIComponent(`tags ?= '${tag}'`)}`;
    expect((await roost.inject({ url: holders, token })).body.totalItems).toBe(0);
  });

  it('one changes or deletes what a rule lets nobody touch after that', async () => {
    const last = (await create('things', { left: 1 })).body.id as string;
    const url = `/api/collections/things/records/${last}`;
    const outcome = await atOnce((index) =>
      index % 2 === 0
        ? roost.inject({ method: 'PATCH', url, body: { 'left-': 1 } })
        : roost.inject({ method: 'DELETE', url }),
    );
    expect((outcome[200] ?? 0) + (outcome[204] ?? 0)).toBe(1);
    expect(outcome[404]).toBe(CONTENDERS - 1);
  });

  it('one makes the record with an id, and the others change it', async () => {
    const id = 'madebywhoever00';
    const url = '/api/collections/things/records';
    const upserts = await atOnce(() => roost.inject({ method: 'PUT', url, token, body: { id, 'count+': 1 } }));
    expect(upserts).toEqual({ 200: CONTENDERS });
    expect((await roost.inject({ url: `${url}/${id}`, token })).body.count).toBe(CONTENDERS);
    // One who only makes it is too late, or the first.
    const other = 'madebyanother00';
    const outcome = await atOnce((index) =>
      roost.inject({ method: index === 7 ? 'POST' : 'PUT', url, token, body: { id: other, 'count+': 1 } }),
    );
    const made = (await roost.inject({ url: `${url}/${other}`, token })).body.count as number;
    expect([made, outcome[200], outcome[400] ?? 0]).toEqual([made, made, CONTENDERS - made]);
    expect(made).toBeGreaterThanOrEqual(CONTENDERS - 1);
  });

  it('one gets an id that only one account may have', async () => {
    const id = 'theonlyone00000';
    const body = { id, password: '1234567890', passwordConfirm: '1234567890' };
    const outcome = await atOnce((index) =>
      create(index % 2 === 0 ? 'members' : 'guests', { ...body, email: `u${index}@example.com` }),
    );
    expect(outcome).toEqual({ 200: 1, 400: CONTENDERS - 1 });
  });

  it('no more files get into a field than it takes', async () => {
    const url = `/api/collections/things/records/${counter}`;
    const outcome = await atOnce((index) => {
      const body = new FormData();
      body.append('files+', new Blob([`file ${index}`]), `${index}.txt`);
      return roost.inject({ method: 'PATCH', url, token, body });
    });
    expect(outcome).toEqual({ 200: 10, 400: CONTENDERS - 10 });
    expect((await read())['files']).toHaveLength(10);
  });

  it('all count what each of them adds in one transaction', async () => {
    const requests = [
      { method: 'POST', url: '/api/collections/parts/records', body: { parent: counter } },
      { method: 'PATCH', url: `/api/collections/things/records/${counter}`, body: { 'count+': 1 } },
    ];
    const outcome = await atOnce(() => roost.inject({ url: '/api/batch', token, body: { requests } }));
    expect(outcome).toEqual({ 200: CONTENDERS });
    expect([(await read())['count'], await holders('parts', counter)]).toEqual([CONTENDERS, CONTENDERS]);
  });

  it('nobody is left behind by what is deleted with all that belongs to it', async () => {
    await atOnce(() => create('parts', { parent: counter }));
    const [created, deleted] = await Promise.all([
      atOnce(() => create('parts', { parent: counter })),
      roost.inject({ method: 'DELETE', url: `/api/collections/things/records/${counter}`, token }),
    ]);
    expect(deleted.status).toBe(204);
    expect((created[200] ?? 0) + (created[400] ?? 0)).toBe(CONTENDERS);
    expect(await holders('parts', counter)).toBe(0);
  });

  it('nothing is deleted that somebody has come to require', async () => {
    const wanted = await Promise.all(
      Array.from({ length: CONTENDERS }, async () => (await create('things', {})).body.id as string),
    );
    const pairs = await Promise.all(
      wanted.map((id) =>
        Promise.all([
          create('owners', { parent: id }),
          roost.inject({ method: 'DELETE', url: `/api/collections/things/records/${id}`, token }),
        ]),
      ),
    );
    for (const [owner, deleted] of pairs) {
      expect([
        [200, 400],
        [400, 204],
      ]).toContainEqual([owner.status, deleted.status]);
    }
  });

  async function holders(collection: string, id: string): Promise<number> {
    const url = `/api/collections/${collection}/records?perPage=1&filter=${encodeURIComponent(`parent = '${id}'`)}`;
    return (await roost.inject({ url, token })).body.totalItems as number;
  }

  async function atOnce(contender: (index: number) => Promise<TestResponse>): Promise<Record<number, number>> {
    const answers = await Promise.all(Array.from({ length: CONTENDERS }, (_, index) => contender(index)));
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  function create(collection: string, body: Record<string, unknown>): Promise<TestResponse> {
    return roost.inject({ url: `/api/collections/${collection}/records`, token, body });
  }

  function patch(body: Record<string, unknown>, as?: string): Promise<TestResponse> {
    return roost.inject({ method: 'PATCH', url: `/api/collections/things/records/${counter}`, body, token: as });
  }

  async function read(): Promise<Record<string, unknown>> {
    return (await roost.inject({ url: `/api/collections/things/records/${counter}`, token })).body as never;
  }
});
