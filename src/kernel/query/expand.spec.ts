import { describe, expect, it } from 'vitest';
import { parseExpand, type ExpandStep } from './expand.js';

type Steps = { [name: string]: Steps };
const toObject = (steps: readonly ExpandStep[]): Steps =>
  Object.fromEntries(steps.map((step) => [step.name, toObject(step.steps)]));

describe('parseExpand', () => {
  it.each<[string, Steps]>([
    ['', {}],
    [' , ,', {}],
    ['...', {}],
    ['a..b', {}],
    ['a..b,c', { c: {} }],
    ['author', { author: {} }],
    ['author,comments_via_post.user', { author: {}, comments_via_post: { user: {} } }],
    [' a u t h o r\t. team\n', { author: { team: {} } }],
    ['..author.team..', { author: { team: {} } }],
    ['.author', { author: {} }],
    ['a,a,a.b,a.b', { a: { b: {} } }],
    ['a.b,a', { a: { b: {} } }],
    ['a.b,a.c.d,a.c', { a: { b: {}, c: { d: {} } } }],
    ['constructor.toString', { constructor: { toString: {} } }],
  ])('EXP-1 merges %j', (text, expected) => {
    expect(toObject(parseExpand(text))).toEqual(expected);
  });

  it('EXP-1 keeps the order of first appearance', () => {
    expect(parseExpand('b,a.y,c,a.x').map(({ name }) => name)).toEqual(['b', 'a', 'c']);
  });

  it('EXP-3 ignores steps below the 6th level', () => {
    const six = { a: { b: { c: { d: { e: { f: {} } } } } } };
    expect(toObject(parseExpand('a.b.c.d.e.f'))).toEqual(six);
    expect(toObject(parseExpand('a.b.c.d.e.f.g,a.b.c.d.e.f.h'))).toEqual(six);
    expect(toObject(parseExpand('..a.b.c.d.e.f.g..h'))).toEqual(six);
    expect(toObject(parseExpand(Array.from({ length: 100_000 }, () => 'a').join('.')))).toEqual({
      a: { a: { a: { a: { a: { a: {} } } } } },
    });
  });

  it('takes a key __proto__ for a name like any other', () => {
    expect(parseExpand('__proto__.a')).toEqual([{ name: '__proto__', steps: [{ name: 'a', steps: [] }] }]);
  });
});
