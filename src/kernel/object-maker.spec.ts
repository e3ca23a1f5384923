import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectMaker } from './object-maker.js';

describe('objectMaker', () => {
  it('makes what setting one key after the other makes', () => {
    const nasty = fc.constantFrom('__proto__', 'constructor', '"', '\\', '`${x}`', '\u2028', "']: 1 };", '', '1');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.oneof(nasty, fc.string()), fc.anything())), (entries) => {
        const made = objectMaker(entries.map(([key]) => key))(entries.map(([, value]) => value));
        expect(Object.entries(made)).toEqual(Object.entries(Object.fromEntries(entries)));
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
      }),
    );
  });
});
