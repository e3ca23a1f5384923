import { describe, expect, it } from 'vitest';
import type { SqlValue } from '../fields/field-type.js';
import { statementKey } from './bound-sql.js';

const long = 'x'.repeat(5_000);

describe('statementKey', () => {
  it.each<[readonly SqlValue[], readonly SqlValue[]]>([
    [['1'], [1]],
    [[null], ['null']],
    [
      [long, '1'],
      [long, 1],
    ],
    [
      [long, null],
      [long, 'null'],
    ],
    [
      [long, 'a\u00001:b'],
      [long, 'a', 'b'],
    ],
    [
      [`${long}\u0000`, '1:a'],
      [long, '\u00001:a'],
    ],
  ])('differs for other values (%#)', (params, others) => {
    expect(statementKey({ sql: 's', params })).not.toBe(statementKey({ sql: 's', params: others }));
    expect(statementKey({ sql: 's', params })).toBe(statementKey({ sql: 's', params: [...params] }));
    expect(statementKey({ sql: 's', params })).not.toBe(statementKey({ sql: 't', params }));
  });

  it('OPS-39 is no longer than what it is of, whatever JSON escapes', () => {
    expect(statementKey({ sql: '', params: ['\u0001'.repeat(1_000_000)] }).length).toBeLessThan(1_000_100);
  });
});
