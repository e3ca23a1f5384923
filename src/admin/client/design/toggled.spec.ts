import { describe, expect, it } from 'vitest';
import { toggled } from './toggled.js';

const ORDER = ['a', 'b', 'c', 'd', 'e'];

describe('a selection', () => {
  it.each([
    ['one more', ['a'], { id: 'c', shift: false, last: 'a' }, ['a', 'c']],
    ['one less', ['a', 'c'], { id: 'c', shift: false, last: 'a' }, ['a']],
    ['a range downwards', ['a'], { id: 'c', shift: true, last: 'a' }, ['a', 'b', 'c']],
    ['a range upwards', ['d'], { id: 'b', shift: true, last: 'd' }, ['d', 'b', 'c']],
    ['a range that goes', ORDER, { id: 'd', shift: true, last: 'b' }, ['a', 'e']],
    ['Shift without a choice before', [], { id: 'd', shift: true, last: null }, ['d']],
    ['Shift after a row that is gone', [], { id: 'd', shift: true, last: 'x' }, ['d']],
    ['a row that is not shown', [], { id: 'x', shift: true, last: 'b' }, ['x']],
  ])('UI-19 takes %s', (_what, selected, choice, expected) => {
    expect([...toggled(new Set(selected), ORDER, choice)].toSorted()).toEqual(expected.toSorted());
  });
});
