import { describe, expect, it } from 'vitest';
import { searchedFields, toFilter, toSearchText } from './search-text.js';

const collection = {
  fields: [
    { name: 'id', type: 'text' },
    { name: 'title', type: 'text' },
    { name: 'done', type: 'bool' },
    { name: 'secret', type: 'text', hidden: true },
  ],
} as never;

describe('the text of the search box', () => {
  it.each([
    ['', ''],
    ['  nest ', 'id ~ "nest" || title ~ "nest"'],
    ['"a = b"', 'id ~ "a = b" || title ~ "a = b"'],
    [String.raw`a\b`, String.raw`id ~ "a\\b" || title ~ "a\\b"`],
    ['title = "nest"', 'title = "nest"'],
    ['title >', 'title >'],
  ])('UI-18 %j means %j', (text, filter) => {
    expect(toFilter(text, collection)).toBe(filter);
  });

  it('UI-18 searches what everybody sees and what can be read as text', () => {
    expect(searchedFields(collection)).toEqual(['id', 'title']);
  });

  it.each(['nest', 'a = b', '"quoted"', `it's`, String.raw`a\b`, 'say "a" = b'])(
    'UI-73 finds the same words again that were in the box: %s',
    (words) => {
      expect(toFilter(toSearchText(words, collection), collection)).toBe(
        `id ~ ${JSON.stringify(words)} || title ~ ${JSON.stringify(words)}`,
      );
    },
  );

  it('UI-73 writes words as words, in quotes where they have to be', () => {
    expect(['nest', 'a = b'].map((words) => toSearchText(words, collection))).toEqual(['nest', '"a = b"']);
  });
});
