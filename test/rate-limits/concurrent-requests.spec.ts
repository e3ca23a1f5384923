import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const REQUESTS = 1_000;

let roost: TestRoost;

beforeAll(async () => {
  roost = await startRoost();
  const token = await roost.createSuperuser();
  const rule = (label: string, maxRequests: number) => ({ label, audience: '', duration: 3_600, maxRequests });
  const others = Array.from({ length: 9 }, (_, index) => rule(`/api/other-${index}/`, 1));
  const rateLimits = { enabled: true, rules: [...others, rule('/api/health', 400)] };
  const { status } = await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { rateLimits } });
  expect(status).toBe(200);
});
afterAll(() => roost.close());

it('OPS-24 lets through what the rule says, of a thousand requests at the same time and for each address', async () => {
  const origin = await roost.listen();
  const ask = async () => {
    const response = await fetch(`${origin}/api/health`);
    await response.text();
    return response.status;
  };
  const statuses = await Promise.all(Array.from({ length: REQUESTS }, ask));
  const passed = statuses.filter((status) => status === 200).length;
  expect(passed).toBe(400);
  expect(statuses.filter((status) => status === 429)).toHaveLength(REQUESTS - 400);
  expect((await roost.inject({ url: '/api/health', remoteAddress: '10.0.0.1' })).status).toBe(200);
});
