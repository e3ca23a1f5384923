import { describe, expect, it } from 'vitest';
import { timerLength } from './timer-length.js';

describe('the length of a timer', () => {
  it('OPS-6 is what it is set to, and never more than a timer can take', () => {
    expect(timerLength(3000)).toBe(3000);
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const fired: unknown[] = [];
    const timer = setTimeout(() => fired.push('at once'), timerLength(1e300));
    return new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => {
      clearTimeout(timer);
      process.off('warning', onWarning);
      expect([fired, warnings]).toEqual([[], []]);
    });
  });
});
