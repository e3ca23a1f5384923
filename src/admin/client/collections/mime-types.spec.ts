import { describe, expect, it } from 'vitest';
import { MIME_PRESETS, MIME_TYPES, withPreset } from './mime-types.js';

describe('presets of MIME types', () => {
  const preset = { label: 'Two', values: ['a/a', 'b/b'] };

  it.each([
    ['are added to what is there', ['x/x', 'a/a'], ['x/x', 'a/a', 'b/b']],
    ['are taken away when all are there', ['a/a', 'x/x', 'b/b'], ['x/x']],
    ['begin a list', [], ['a/a', 'b/b']],
  ])('%s', (_what, before, after) => {
    expect(withPreset(before, preset)).toEqual(after);
  });

  it('name types that are offered', () => {
    expect(MIME_PRESETS.flatMap(({ values }) => values).filter((each) => !MIME_TYPES.includes(each))).toEqual([]);
  });
});
