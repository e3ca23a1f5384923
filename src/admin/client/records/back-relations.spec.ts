import { describe, expect, it } from 'vitest';
import type { CollectionModel } from '../api/collection-model.js';
import { backRelations, pointsTo } from './back-relations.js';

const relation = (name: string, collectionId: string, maxSelect = 1) => ({
  id: name,
  name,
  type: 'relation',
  collectionId,
  maxSelect,
});
const posts = { id: 'posts', name: 'posts', fields: [relation('related', 'posts', 9), relation('author', 'users')] };
const comments = {
  id: 'comments',
  name: 'comments',
  fields: [relation('post', 'posts'), { ...relation('link', 'posts'), type: 'link' }],
};
const all = [posts, comments] as unknown as CollectionModel[];

describe('records that point here', () => {
  it('UI-76 knows the relations of all collections to this one, its own included', () => {
    const found = backRelations(all[0]!, all);
    expect(found.map(({ collection, field }) => `${collection.name}.${field.name}`)).toEqual([
      'comments.post',
      'posts.related',
    ]);
    expect(found.map((each) => pointsTo(each, 'abc'))).toEqual(['post = "abc"', 'related.id ?= "abc"']);
    expect(backRelations(all[1]!, all)).toEqual([]);
  });
});
