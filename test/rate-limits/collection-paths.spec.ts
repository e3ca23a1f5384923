import { afterAll, beforeAll, expect, it } from 'vitest';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

let roost: TestRoost;
let id: string;
beforeAll(async () => {
  roost = await startRoost();
  const collections = roost.app.get(CollectionsService, { strict: false });
  ({ id } = await collections.create({ name: 'Posts', type: 'base', listRule: '', fields: [] }));
});
afterAll(() => roost.close());

async function limit(label: string): Promise<void> {
  const rules = [
    { label: '/api/', duration: 60, maxRequests: 1000, audience: '' },
    { label, duration: 60, maxRequests: 1, audience: '' },
  ];
  await roost.app.get(SettingsService, { strict: false }).patch({ rateLimits: { enabled: true, rules } });
}

it.each([
  ['its name', () => 'Posts'],
  ['its name in another letter case', () => 'pOSTS'],
  ['its id', () => id],
])('OPS-21 OPS-39 a rule for the path of a collection by %s holds for all its spellings', async (_, name) => {
  for (const label of [`/api/collections/${name()}/records`, `GET /api/collections/${name()}/`]) {
    for (const other of ['Posts', 'posts', '%50osts', id]) {
      await limit(label);
      const url = `/api/collections/${other}/records`;
      const statuses = [(await roost.inject({ url })).status, (await roost.inject({ url })).status];
      expect([label, other, statuses]).toEqual([label, other, [200, 429]]);
    }
  }
});
