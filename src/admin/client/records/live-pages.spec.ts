import type { ListResult, RecordModel } from 'pocketbase';
import { describe, expect, it } from 'vitest';
import { HeardChanges, withChange, type RecordChange } from './live-pages.js';

const record = (id: string, n = 0, more: object = {}) => ({ id, n, ...more }) as unknown as RecordModel;
const page = (...items: RecordModel[]) => ({ items }) as unknown as ListResult<RecordModel>;
const pages = [page(record('a', 1), record('b', 3)), page(record('c', 5))];
const sorted = { sort: 'n', staysInPlace: false, isComplete: true };
const ids = (found: readonly ListResult<RecordModel>[]) => found.map(({ items }) => items.map(({ id }) => id).join(''));
const apply = (action: RecordChange['action'], changed: RecordModel, order: Partial<typeof sorted> = {}) => {
  const {
    pages: found,
    isOutside,
    difference,
  } = withChange(pages, { action, record: changed }, { ...sorted, ...order });
  return [...ids(found), isOutside, difference];
};

describe('a change in the loaded pages of a list', () => {
  it.each<[string, RecordChange['action'], RecordModel, Partial<typeof sorted>, unknown[]]>([
    ['puts a new record where it belongs', 'create', record('x', 2), {}, ['axb', 'c', false, 1]],
    ['puts one between two pages at the end of the first', 'create', record('x', 4), {}, ['abx', 'c', false, 1]],
    ['puts one last where all are loaded', 'create', record('x', 9), {}, ['ab', 'cx', false, 1]],
    [
      'leaves one outside that comes after the loaded ones',
      'create',
      record('x', 9),
      { isComplete: false },
      ['ab', 'c', true, 1],
    ],
    ['replaces one that was made here', 'create', record('b', 3), {}, ['ab', 'c', false, 0]],
    ['moves a row to where it belongs now', 'update', record('a', 9), {}, ['b', 'ca', false, 0]],
    ['leaves a row in its place', 'update', record('a', 9), { staysInPlace: true }, ['ab', 'c', false, 0]],
    [
      'leaves a row of the second page in its place',
      'update',
      record('c', 0),
      { staysInPlace: true },
      ['abc', '', false, 0],
    ],
    ['takes one in that begins to fit', 'update', record('x', 2), {}, ['axb', 'c', false, 1]],
    [
      'cannot tell whether one has come from further down',
      'update',
      record('x', 2),
      { isComplete: false },
      ['axb', 'c', false, undefined],
    ],
    ['takes out what was deleted', 'delete', record('b'), {}, ['a', 'c', false, -1]],
    ['counts what was deleted further down', 'delete', record('x'), { isComplete: false }, ['ab', 'c', false, -1]],
    ['takes out what does not fit any more', 'leave', record('b'), {}, ['a', 'c', false, -1]],
    ['knows that what was not there has not left', 'leave', record('x'), {}, ['ab', 'c', false, 0]],
    [
      'cannot tell whether one has left further down',
      'leave',
      record('x'),
      { isComplete: false },
      ['ab', 'c', false, undefined],
    ],
  ])('UI-78 %s', (_what, action, changed, order, expected) => {
    expect(apply(action, changed, order)).toEqual(expected);
  });

  it('UI-78 lays what is told over what is known, relations included', () => {
    const before = page(record('a', 1, { text: 'long', expand: { author: 1, tags: 2 } }));
    const changed = record('a', 2, { expand: { author: 3 } });
    const { pages: found } = withChange([before], { action: 'update', record: changed }, sorted);
    expect(found[0]!.items).toEqual([{ id: 'a', n: 2, text: 'long', expand: { author: 3, tags: 2 } }]);
  });

  it('UI-78 gives the same pages where nothing changes, and takes in the first row of an empty list', () => {
    expect(withChange(pages, { action: 'leave', record: record('x') }, sorted).pages).toBe(pages);
    const { pages: found } = withChange(
      [page()],
      { action: 'create', record: record('x') },
      { ...sorted, isComplete: false },
    );
    expect(ids(found)).toEqual(['x']);
  });
});

describe('what is heard twice', () => {
  it('UI-78 counts once', () => {
    const heard = new HeardChanges();
    const made = { action: 'create', record: record('x') } as const;
    const deleted = { action: 'delete', record: record('x') } as const;
    expect([made, made, deleted, deleted, made].map((each) => heard.isNews(each))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    heard.clear();
    expect(heard.isNews(made)).toBe(true);
  });

  it('UI-78 does not bring back what was deleted, and lets in again what has left', () => {
    const heard = new HeardChanges();
    const update = { action: 'update', record: record('x') } as const;
    expect(heard.isNews({ ...update, action: 'leave' })).toBe(true);
    expect(heard.isNews(update)).toBe(true);
    heard.isNews({ ...update, action: 'delete' });
    expect(heard.isNews(update)).toBe(false);
    expect(heard.isNews({ ...update, action: 'leave' })).toBe(false);
  });
});
