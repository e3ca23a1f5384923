import { describe, expect, it } from 'vitest';
import { SlowStatements } from './slow-statements.js';

describe('slow statements', () => {
  it('UI-80 remembers a hundred, the slowest', () => {
    const slow = new SlowStatements();
    for (let ms = 1; ms <= 150; ms++) slow.add(`SELECT ${ms}`, ms);
    slow.add('SELECT 0', 0);
    slow.add('SELECT 150', 50);
    slow.add('SELECT 150', Infinity);
    const all = slow.all();
    expect(all).toHaveLength(100);
    expect(all[0]).toEqual({ sql: 'SELECT 150', runs: 2, average: 100, slowest: 150 });
    expect(all.at(-1)!.sql).toBe('SELECT 51');
  });

  it('cuts what is very long', () => {
    const slow = new SlowStatements();
    slow.add('x'.repeat(10_000), 1);
    expect(slow.all()[0]!.sql).toHaveLength(2000);
  });
});
