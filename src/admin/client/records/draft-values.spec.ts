import { describe, expect, it } from 'vitest';
import type { CollectionModel } from '../api/collection-model.js';
import { draftValues } from './draft-values.js';

const types = { title: 'text', tags: 'select', password: 'password', pin: 'password', files: 'file' };
const collection = {
  fields: Object.entries(types).map(([name, type]) => ({ id: name, name, type })),
} as unknown as CollectionModel;
const files = (...added: File[]) => ({ stored: [], removed: [], added });
const initial = { title: 'a', tags: ['x'], password: '', pin: '', files: files() };

describe('drafts', () => {
  it.each([
    ['nothing where nothing was changed', { tags: ['x'] }, null],
    ['what was changed', { title: 'b', tags: [] }, { title: 'b', tags: [] }],
    ['no passwords, whatever they are called', { password: 'secret', passwordConfirm: 'secret', pin: '1234' }, null],
    ['no files', { files: files(new File([], 'a')), title: 'b' }, { title: 'b' }],
  ])('UI-26 keep %s', (_what, changes, kept) => {
    expect(draftValues(collection, { ...initial, ...changes }, initial)).toEqual(kept);
  });
});
