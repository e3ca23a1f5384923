import { describe, expect, it } from 'vitest';
import { rovingTarget } from './use-roving-focus.js';

describe('the tools of a toolbar', () => {
  it.each([
    ['ArrowRight', 0, 1],
    ['ArrowRight', 4, 0],
    ['ArrowLeft', 0, 4],
    ['ArrowLeft', 3, 2],
    ['Home', 3, 0],
    ['End', 1, 4],
    ['a', 1, undefined],
    ['Tab', 1, undefined],
  ])('%s leads from %s to %s', (key, at, target) => {
    expect(rovingTarget(key, at, 5)).toBe(target);
  });
});
