import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nestsDeeperThan } from './json-depth.js';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('nestsDeeperThan', () => {
  it.each([
    [nested(3), false],
    [nested(4), true],
    ['{"a":{"b":{"c":1}}}', false],
    ['{"a":{"b":[{"c":1}]}}', true],
    ['[[[]],[[]],[[]],[[]]]', false],
    [JSON.stringify(['[[[[[[', '"[[[[[[', '\\', '\\"[[[[', '{{{{{{']), false],
    [JSON.stringify({ '[[[[[[\\': [[[1]]] }), true],
  ])('BODY-2 counts what stands in each other in %s', (json, deeper) => {
    expect(nestsDeeperThan(json, 3)).toBe(deeper);
  });

  it('BODY-2 agrees with a walk through the value', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, levels) => {
        expect(nestsDeeperThan(JSON.stringify(value), levels)).toBe(depthOf(value) > levels);
      }),
    );
  });
});
