import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const delays: number[] = [];

let roost: TestRoost;
let token: string;

beforeAll(async () => {
  const wait = timers.setTimeout;
  // What pauses in the background says so by its options.
  vi.spyOn(timers, 'setTimeout').mockImplementation((...given: Parameters<typeof wait>) =>
    given[2] ? wait(...given) : Promise.resolve(void delays.push(given[0]!)),
  );
  syncBuiltinESMExports();
  roost = await startRoost();
  token = await roost.createSuperuser();
  const fields = [{ name: 'title', type: 'text' }];
  await roost.createCollections(
    { name: 'hidden', type: 'base', listRule: "title = @request.auth.id && title != ''", fields },
    { name: 'others', type: 'base', listRule: "title = @request.auth.id && title != ''", fields },
    { name: 'open', type: 'base', listRule: '', fields },
  );
});
afterAll(async () => {
  await roost.close();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});
beforeEach(() => {
  roost.clock.advance(60_000);
  delays.length = 0;
});

/** Asks for a list that is empty; how many of the requests so far were made to wait. */
async function guess(options: { collection?: string; filter?: string; token?: string; from?: string } = {}) {
  const { collection = 'hidden', filter = "title = 'a'", from = '192.0.2.1' } = options;
  const url = `/api/collections/${collection}/records?filter=${encodeURIComponent(filter)}`;
  const { status, body } = await roost.inject({ url, token: options.token, remoteAddress: from });
  expect([status, body.items]).toEqual([200, []]);
  return delays.length;
}

describe('guessing by filter', () => {
  it('GRD-6 is slowed down from the fourth empty list within three seconds on, by up to half a second', async () => {
    expect([await guess(), await guess(), await guess()]).toEqual([0, 0, 0]);
    expect([await guess(), await guess()]).toEqual([1, 2]);
    for (const delay of delays) {
      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(500);
    }
  });

  it('GRD-6 counts the three seconds before each request, whenever the first one was', async () => {
    await guess();
    roost.clock.advance(2_000);
    await guess();
    await guess();
    roost.clock.advance(1_500);
    expect(await guess()).toBe(0);
    expect(await guess()).toBe(1);
    roost.clock.advance(3_000);
    expect(await guess()).toBe(1);
  });

  it('GRD-6 counts for each address and collection alone', async () => {
    for (let request = 0; request < 3; request++) await guess();
    expect(await guess({ from: '192.0.2.2' })).toBe(0);
    expect(await guess({ collection: 'others' })).toBe(0);
    expect(await guess()).toBe(1);
    for (let request = 0; request < 3; request++) expect(await guess({ from: `2001:db8:1:2::${request}` })).toBe(1);
    expect(await guess({ from: '2001:db8:1:2::9' })).toBe(2);
  });

  it('GRD-6 is nothing to superusers, without a filter, and where nothing is hidden', async () => {
    for (let request = 0; request < 5; request++) {
      await guess({ token });
      await guess({ filter: '' });
      await guess({ collection: 'open' });
    }
    expect(delays).toEqual([]);
  });
});
