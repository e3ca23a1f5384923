import { describe, expect, it } from 'vitest';
import { rulePartsOf } from './rule-parts.js';

describe('rulePartsOf', () => {
  it.each([
    ['a = 1', '', ['a = 1']],
    ['(a = 1)', '', ['a = 1']],
    ['a=1 && b = 2', 'and', ['a = 1', 'b = 2']],
    ['a = 1 || b = 2 && c = 3', 'or', ['a = 1', 'b = 2 && c = 3']],
    ['a = 1 && (b = 2 || c ?= "x") // why', 'and', ['a = 1', 'b = 2 || c ?= "x"']],
    ['((a = 1 || b = 2))', 'or', ['a = 1', 'b = 2']],
  ])('UI-74 takes %s apart', (rule, join, texts) => {
    expect(rulePartsOf(rule)).toEqual({ join, texts });
  });

  it('UI-74 takes the last of many together', () => {
    const rule = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `a = ${from + index}`).join(' || ');
    const { texts } = rulePartsOf(rule(0, 40));
    expect(texts).toHaveLength(32);
    expect(texts.at(-1)).toBe(rule(31, 40));
  });
});
