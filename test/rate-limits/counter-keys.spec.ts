import { describe, expect, it } from 'vitest';
import { compileRule, counterKey } from '../../src/rate-limits/compiled-rate-limit.js';

const action = (tags: readonly string[] = [], id = '') => ({
  tags,
  collection: id === '' ? null : ({ id, name: id } as never),
  method: 'GET',
  url: '/api/x',
});

describe('keys of rate limit counters', () => {
  it('OPS-24 differ by rule and address, and where there are tags by collection and action', () => {
    const rules = (['', '@guest'] as const).map((audience) =>
      compileRule({ label: 'posts:list', audience, duration: 1, maxRequests: 1 }),
    );
    const keys = rules.flatMap((rule) => [
      counterKey(rule, action(), '10.0.0.1'),
      counterKey(rule, action(), '10.0.0.2'),
      counterKey(rule, action(['list'], 'posts'), '10.0.0.1'),
      counterKey(rule, action(['list'], 'users'), '10.0.0.1'),
      counterKey(rule, action(['view'], 'posts'), '10.0.0.1'),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
    // Without tags everything an address asks for is counted together.
    const [first] = rules;
    expect(counterKey(first!, action([], 'posts'), '10.0.0.1')).toBe(
      counterKey(first!, action([], 'users'), '10.0.0.1'),
    );
  });
});
