import { describe, expect, it } from 'vitest';
import { passingText, verdictOf } from './rule-verdict.js';

describe('verdictOf', () => {
  it.each([
    [true, [true, true], 'and', 'Passes'],
    [false, [true, false], 'and', 'Refused by part 2'],
    [false, [false, true, false, false], 'and', 'Refused by parts 1, 3 and 4'],
    [false, [true, true], 'and', 'Refused: each part passes alone, but not together'],
    [false, [false, false], 'or', 'Refused: no part passes'],
    [false, [false], '', 'Refused'],
    [true, [], '', 'Passes'],
  ] as const)('UI-74 says of %s %s (%s): %s', (passes, parts, join, words) => {
    expect(verdictOf({ id: 'x', passes, parts: [...parts] }, join)).toBe(words);
  });

  it('UI-74 counts what passes', () => {
    const record = (passes: boolean) => ({ id: '', passes, parts: [] });
    expect(passingText([record(true), record(false), record(true)])).toBe('2 of 3 pass');
  });
});
