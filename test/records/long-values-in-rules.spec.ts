import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;

beforeAll(async () => {
  roost = await startRoost();
  const token = await roost.createSuperuser();
  const fields = [
    { name: 'title', type: 'text' },
    { name: 'html', type: 'editor' },
  ];
  const rules = {
    found: 'title ~ @request.body.html',
    unfound: 'title !~ @request.body.html',
    anywhere: '@collection.found.title ?~ @request.body.html',
    within: '@request.body.html ~ title',
    lower: '@request.body.html:lower = html:lower && html:lower != @request.body.html',
    json: '@request.body.html = html',
  };
  for (const [name, createRule] of Object.entries(rules)) {
    await roost.createCollections({ name, type: 'base', fields, createRule });
  }
  const body = { title: 'needle' };
  await roost.inject({ method: 'POST', url: '/api/collections/found/records', token, body });
});
afterAll(() => roost.close());

const create = async (collection: string, html: string, title = 'needle') => {
  const url = `/api/collections/${collection}/records`;
  return (await roost.inject({ method: 'POST', url, body: { title, html } })).status;
};

describe('rules about long texts of a body', () => {
  it.each(['_', '\\', '%', 'a', '\u0001', 'é', '😀', '[', '%_', 'aA'])(
    'OPS-39 CMP-8 nothing is found by a text of %j that is longer than patterns are',
    async (unit) => {
      const long = unit.repeat(1_000_000 / unit.length);
      expect(await create('found', long)).toBe(400);
      expect(await create('unfound', long)).toBe(400);
      expect(await create('anywhere', long)).toBe(400);
    },
  );

  it('CMP-8 texts as long as a pattern may be are still looked for', async () => {
    const most = 'x'.repeat(4_999);
    expect(await create('found', most, most)).toBe(200);
    expect(await create('found', `%${'x'.repeat(49_999)}`)).toBe(400);
    expect(await create('unfound', 'x'.repeat(49_998))).toBe(200);
    expect(await create('unfound', 'x'.repeat(49_999))).toBe(400);
    expect(await create('anywhere', 'eed')).toBe(200);
    expect(await create('within', `${'x'.repeat(1_000_000)}needle`)).toBe(200);
    expect(await create('within', 'x'.repeat(1_000_000))).toBe(400);
  });

  it('OPS-39 CMP-8 a text that is stored and longer than patterns are finds nothing, and the rest is found', async () => {
    const fields = [
      { name: 'title', type: 'text' },
      { name: 'html', type: 'editor' },
      { name: 'doc', type: 'json' },
    ];
    await roost.createCollections({ name: 'texts', type: 'base', fields, listRule: '', createRule: '' });
    for (const html of ['x'.repeat(50_000), 'x', 'y']) {
      const body = { title: 'x', html, doc: { html } };
      await roost.inject({ method: 'POST', url: '/api/collections/texts/records', body });
    }
    for (const [filter, found] of Object.entries({ 'title ~ html': 1, 'title ~ doc.html': 1, 'html ~ title': 2 })) {
      const url = `/api/collections/texts/records?filter=${encodeURIComponent(filter)}`;
      const { status, body } = await roost.inject({ url });
      expect([status, body.totalItems]).toEqual([200, found]);
    }
  });

  it('OPS-39 letters of a long text are compared without their case, and long JSON as a text', async () => {
    expect(await create('lower', 'aAéÉ😀'.repeat(150_000))).toBe(200);
    expect(await create('lower', 'aaéÉ😀'.repeat(150_000))).toBe(400);
    expect(await create('json', '['.repeat(1_000_000))).toBe(200);
  });
});
