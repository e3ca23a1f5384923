import { describe, expect, it } from 'vitest';
import { FilterError } from './filter.error.js';
import { FUNCTIONS, requireFunction } from './functions.js';
import { parseFilter } from './parse-filter.js';

function call(text: string) {
  const node = parseFilter(`${text} = 1`);
  if (node.kind !== 'comparison' || node.left.kind !== 'call') throw new Error(text);
  return node.left;
}

describe('requireFunction', () => {
  it.each([
    'geoDistance()',
    'geoDistance(1,2,3)',
    'geoDistance(1,2,3,4,5)',
    'geoDistance("1",2,3,4)',
    "geoDistance(1,2,3,'x')",
    'geoDistance(1,geoDistance(1,2,3,4),3,4)',
  ])('FN-1 refuses %s', (text) => {
    expect(() => requireFunction(call(text))).toThrow(FilterError);
  });

  it('FN-1 takes numbers and identifiers', () => {
    expect(requireFunction(call('geoDistance(1, -2.5, place.lon, place.lat)'))).toBe(FUNCTIONS.get('geoDistance'));
  });

  it.each([
    'strftime()',
    'strftime(1)',
    'strftime(format)',
    "strftime('%Y', strftime('%Y'))",
    "strftime('%Y', @now, 1)",
    "strftime('%Y', @now, 'utc', modifier)",
  ])('FN-2 refuses %s', (text) => {
    expect(() => requireFunction(call(text))).toThrow(FilterError);
  });

  it.each([
    "strftime('%Y')",
    "strftime('%Y', created)",
    "strftime('%Y', 1700000000, 'unixepoch')",
    "strftime('%Y', '2026-01-01')",
    "strftime('1','2','3','4','5','6','7','8','9','10')",
  ])('FN-2 takes %s', (text) => {
    expect(requireFunction(call(text))).toBe(FUNCTIONS.get('strftime'));
  });

  it.each(['geodistance(1,2,3,4)', 'GeoDistance(1,2,3,4)', 'lower(a)', 'constructor()', '@now()', 'a.b()'])(
    'FN-3 refuses %s',
    (text) => {
      const node = call(text);
      expect(() => requireFunction(node)).toThrow(FilterError);
    },
  );

  it('points at the argument that is wrong', () => {
    const text = "geoDistance(1, 2, 'three', 4)";
    try {
      requireFunction(call(text));
      expect.unreachable();
    } catch (error) {
      const { span } = error as FilterError;
      expect(text.slice(span.start, span.end)).toBe("'three'");
    }
  });
});
