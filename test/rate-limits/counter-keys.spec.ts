import { describe, expect, it } from 'vitest';
import { CounterKeys } from '../../src/rate-limits/counter-keys.js';

const action = (tags: readonly string[] = [], id = '') => ({
  tags,
  collection: id === '' ? null : ({ id, name: id } as never),
  method: 'GET',
  url: '/api/x',
});

describe('keys of rate limit counters', () => {
  it('OPS-24 differ by rule and address, and where there are tags by collection and action', () => {
    const [some, others] = [new CounterKeys('|posts:list|'), new CounterKeys('@guest|posts:list|')];
    const keys = [some, others].flatMap((each) => [
      each.of(action(), '10.0.0.1'),
      each.of(action(), '10.0.0.2'),
      each.of(action(['list'], 'posts'), '10.0.0.1'),
      each.of(action(['list'], 'users'), '10.0.0.1'),
      each.of(action(['view'], 'posts'), '10.0.0.1'),
    ]);
    expect(new Set(keys).size).toBe(keys.length);
    // Without tags everything an address asks for is counted together.
    expect(some.of(action([], 'posts'), '10.0.0.1')).toBe(some.of(action([], 'users'), '10.0.0.1'));
  });

  it('OPS-24 differ by action for what one client asks of one collection in a row', () => {
    const keys = new CounterKeys('|/api/|');
    const [list, view] = [action(['list'], 'posts'), action(['view'], 'posts')];
    const ofBoth = [list, { ...view, collection: list.collection }].map((each) => keys.of(each, '10.0.0.1'));
    expect(ofBoth[0]).not.toBe(ofBoth[1]);
    expect(keys.of(list, '10.0.0.1')).toBe(ofBoth[0]);
  });

  it('OPS-24 are the same again, however many addresses came in between', () => {
    const keys = new CounterKeys('|/api/|');
    const first = keys.of(action(['list'], 'posts'), '10.0.0.1');
    for (let index = 0; index < 50_000; index += 1)
      keys.of(action(['list'], 'posts'), `10.1.${index >> 8}.${index & 255}`);
    expect(keys.of(action(['list'], 'posts'), '10.0.0.1')).toBe(first);
  });
});
