import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../kernel/filter/parse-filter.js';
import { printFilter } from '../../../kernel/filter/print-filter.js';
import type { FieldModel } from '../api/collection-model.js';
import {
  conditionOn,
  type FilterGroup,
  operatorLabel,
  operatorsFor,
  readFilter,
  rewritten,
  writeFilter,
} from './filter-model.js';

const field = (type: string, more: object = {}) => ({ name: 'f', type, ...more }) as FieldModel;

describe('the model of the filter builder', () => {
  it.each([
    'title ~ "nest"',
    "title = 'it\\'s' && views > 10",
    'a = 1 || b = 2 && c != true',
    '(a = 1 || b ?= "x") && (c >= @now || d.e ~ "f" && g = null)',
    '@request.auth.id != "" && strftime("%Y", created) = "2026"',
    '1 = a && a.b:length > 3 && @collection.posts:x.id ?= id',
    'text = "line\\nwith \\"quotes\\" and \\\\"',
    '((a = -1.50))',
  ])('UI-73 reads and writes %s without a change of meaning', (text) => {
    expect(printFilter(parseFilter(writeFilter(readFilter(text))))).toBe(printFilter(parseFilter(text)));
    expect(rewritten(text, readFilter(text), { fields: [] })).toBe(text);
  });

  it('UI-73 keeps what a line cannot show as it is', () => {
    expect(readFilter('geoDistance(a, b, 1, 2) < 3 && x = 1').terms).toEqual([
      { kind: 'raw', text: 'geoDistance(a, b, 1, 2) < 3' },
      { kind: 'condition', field: 'x', operator: '=', value: { kind: 'number', text: '1' } },
    ]);
  });

  it('UI-73 begins with nothing, and leaves out what is not filled in', () => {
    expect(readFilter('  ')).toEqual({ kind: 'group', join: 'and', terms: [] });
    const group: FilterGroup = {
      kind: 'group',
      join: 'or',
      terms: [
        conditionOn(undefined),
        { kind: 'group', join: 'and', terms: [] },
        conditionOn(field('bool')),
        { kind: 'group', join: 'and', terms: [conditionOn(field('text')), conditionOn(field('number'))] },
      ],
    };
    expect(writeFilter(group)).toBe('f = true || (f ~ "" && f = 0)');
    expect(rewritten('not a filter =', group, { fields: [] })).toBe(writeFilter(group));
    expect(() => readFilter('a =')).toThrow('Unexpected');
  });

  it('UI-73 writes what is no number or name as a text', () => {
    const of = (kind: 'number' | 'word', text: string) =>
      writeFilter({ kind: 'group', join: 'and', terms: [{ ...conditionOn(field('number')), value: { kind, text } }] });
    expect(of('number', '1e3')).toBe('f = "1e3"');
    expect(of('word', '" || 1 = 1')).toBe(String.raw`f = "\" || 1 = 1"`);
    expect(of('word', '@now')).toBe('f = @now');
  });

  it('UI-73 offers the operators that fit a field, in words', () => {
    expect(operatorsFor(field('date'))).toEqual(['=', '!=', '>', '>=', '<', '<=']);
    expect(operatorsFor(field('select', { maxSelect: 3 }))[0]).toBe('?=');
    expect(operatorLabel('>', field('date'))).toBe('is after');
    expect(operatorLabel('>', field('number'))).toBe('is more than');
    expect(operatorLabel('?~', field('select'))).toBe('any contains');
  });

  describe('with the words of a search', () => {
    const collection = { fields: ['title', 'body'].map((name) => ({ name, type: 'text' }) as FieldModel) };
    const searched = ['id', 'title', 'body'];
    const words = 'id ~ "nest" || title ~ "nest" || body ~ "nest"';

    it('UI-73 shows them as a search, not as a condition for each field', () => {
      const search = { kind: 'search', words: 'nest' };
      expect(readFilter(words, searched)).toEqual({ kind: 'group', join: 'and', terms: [search] });
      const mixed = readFilter(`(${words}) && views > 3`, searched);
      expect(mixed.terms).toMatchObject([search, { field: 'views' }]);
      expect(writeFilter(mixed, searched)).toBe(`(${words}) && views > 3`);
    });

    it.each([
      words.replace('"nest"', '"perch"'),
      words.replace('~', '!~'),
      words.replaceAll('||', '&&'),
      words.replace('body', 'note'),
      'id ~ "nest"',
    ])('UI-73 takes nothing else for a search: %s', (text) => {
      expect(JSON.stringify(readFilter(text, searched))).not.toContain('search');
      expect(printFilter(parseFilter(writeFilter(readFilter(text, searched), searched)))).toBe(
        printFilter(parseFilter(text)),
      );
    });

    it('UI-73 leaves what was typed as it was, and writes other words as words', () => {
      const group = readFilter(words, searched);
      expect(rewritten('"nest"', group, collection)).toBe('"nest"');
      const search = (text: string): FilterGroup => ({
        kind: 'group',
        join: 'and',
        terms: [{ kind: 'search', words: text }],
      });
      expect(rewritten('nest', search('perch'), collection)).toBe('perch');
      expect(rewritten('nest', search('a = b'), collection)).toBe('"a = b"');
      expect(rewritten('nest', { ...group, terms: [...group.terms, conditionOn(field('number'))] }, collection)).toBe(
        `(${words}) && f = 0`,
      );
    });
  });
});
