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
      fields: [
        { name: 'count', type: 'number' },
        { name: 'left', type: 'number' },
        { name: 'code', type: 'text' },
        { name: 'tags', type: 'relation', collectionId: tags.id, maxSelect: CONTENDERS },
      ],
      indexes: ["CREATE UNIQUE INDEX idx_things_code ON things (code) WHERE code != ''"],
    });
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
