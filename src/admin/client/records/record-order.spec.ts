import type { RecordModel } from 'pocketbase';
import { describe, expect, it } from 'vitest';
import { positionOf } from './record-order.js';

const record = (values: Record<string, unknown>) => values as unknown as RecordModel;
const loaded = [
  { n: 5, t: 'a' },
  { n: 3, t: 'b' },
  { n: 3, t: 'a' },
].map(record);

describe('positionOf', () => {
  it.each([
    ['the newest first without an order', '', { n: 1 }, 0],
    ['by row', '-@rowid', { n: 1 }, 0],
    ['by row, ascending, at the end', '@rowid', { n: 1 }, 3],
    ['in any place where the order is random', '@random', { n: 1 }, 0],
    ['descending', '-n', { n: 4 }, 1],
    ['equal ones after those that are there', '-n', { n: 3 }, 3],
    ['by a second key', '-n,-t', { n: 3, t: 'aa' }, 2],
    ['beyond the last', '-n', { n: 1 }, 3],
    ['what has no value at the lower end', '-n', { n: null }, 3],
  ])('puts a record %s', (_what, sort, values, index) => {
    expect(positionOf(record(values), loaded, sort)).toBe(index);
  });

  it('compares texts by bytes and numbers before them', () => {
    const texts = [{ t: 2 }, { t: 10 }, { t: 'B' }, { t: 'a' }].map(record);
    expect(positionOf(record({ t: 'b' }), texts, 't')).toBe(4);
    expect(positionOf(record({ t: 'C' }), texts, 't')).toBe(3);
    expect(positionOf(record({ t: 3 }), texts, 't')).toBe(1);
  });

  it('follows expanded relations', () => {
    const of = (name: string) => record({ expand: { author: { name } } });
    expect(positionOf(of('b'), [of('a'), of('c')], 'author.name')).toBe(1);
  });
});
