import { describe, expect, it } from 'vitest';
import type { CollectionModel } from '../api/collection-model.js';
import { mergedForm, theirChanges } from './their-changes.js';

const collection = {
  fields: ['id', 'title', 'views', 'tags', 'password', 'files'].map((name) => ({ id: name, name, type: 'text' })),
} as unknown as CollectionModel;
const files = (...added: File[]) => ({ stored: ['a.png'], removed: [], added });
const before = { id: 'x', title: 'old', views: 1, tags: ['a'], password: '', files: files() };

describe('changes of somebody else', () => {
  it.each([
    ['nothing', {}, {}, []],
    ['a field nobody touched here', { title: 'new' }, {}, ['title']],
    ['another one than was changed here', { title: 'new' }, { views: 2 }, ['title']],
    ['the same one', { title: 'new' }, { title: 'mine' }, ['title!']],
    ['the same one to the same', { title: 'new' }, { title: 'new' }, ['title']],
    ['a list that only was made anew', { tags: ['a'] }, { tags: ['b'] }, []],
    [
      'files, where some were added here',
      { files: { ...files(), stored: [] } },
      { files: files(new File([], 'b')) },
      ['files!'],
    ],
    ['passwords, which are never shown', { password: 'x', id: 'y' }, {}, []],
  ])('UI-76 sees %s', (_what, theirs, mine, expected) => {
    const found = theirChanges(collection, before, { ...before, ...theirs }, { ...before, ...mine });
    expect(found.map(({ field, isContested }) => field.name + (isContested ? '!' : ''))).toEqual(expected);
  });

  it('UI-76 sees no change in what the answer left out', () => {
    expect(theirChanges(collection, before, { id: 'x' }, before)).toEqual([]);
  });

  it('UI-76 keeps what was changed here over what is stored now, and takes theirs where it is wanted', () => {
    const theirs = { ...before, title: 'theirs', views: 5, tags: ['b'] };
    const mine = { ...before, title: 'mine', views: 9, passwordConfirm: 'secret' };
    expect(mergedForm(before, theirs, mine, new Set())).toEqual({
      ...theirs,
      title: 'mine',
      views: 9,
      passwordConfirm: 'secret',
    });
    expect(mergedForm(before, theirs, mine, new Set(['title']))).toMatchObject({
      title: 'theirs',
      views: 9,
      tags: ['b'],
    });
  });
});
