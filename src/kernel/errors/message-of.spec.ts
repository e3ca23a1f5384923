import { expect, it } from 'vitest';
import { messageOf, thrownText } from './message-of.js';

it('EXT-32 whatever is thrown can be told', () => {
  const thrown = [new Error('No.'), 'No.', null, undefined, Symbol('no'), Object.create(null)];
  expect(thrown.map((error) => thrownText(error))).toEqual([
    'Error: No.',
    'No.',
    'null',
    'undefined',
    'Symbol(no)',
    '[object Object]',
  ]);
  expect(thrown.map((error) => messageOf(error))).toEqual([
    'No.',
    'No.',
    'null',
    'undefined',
    'Symbol(no)',
    '[object Object]',
  ]);
});
