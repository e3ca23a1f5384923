// Records that lead to records.
import { fill, notes, posts } from '../attack-collections.mjs';
import { id } from '../attack-target.mjs';

const linked = {
  id: 'bench_linked__1',
  name: 'linked',
  type: 'base',
  listRule: '',
  viewRule: '',
  fields: [{ name: 'rel', type: 'relation', collectionId: 'bench_linked__1', maxSelect: 100 }],
};
const path = (name, times) => Array.from({ length: times }, () => name).join('.');
const all = (count) => () => JSON.stringify(Array.from({ length: count }, (_, index) => id(index)));

export const attacks = [
  {
    name: '9 records that link each other, six steps',
    collections: [linked],
    rows: (db) => fill(db, 9, { rel: all(9) }, 'linked'),
    run: (target) => target.list('linked', { expand: path('rel', 6) }),
  },
  {
    name: '30 records of 30 links, six steps',
    collections: [linked],
    rows: (db) => fill(db, 30, { rel: all(30) }, 'linked'),
    run: (target) => target.list('linked', { expand: path('rel', 6) }),
  },
  {
    name: 'a post with 200 notes, back and forth',
    collections: [posts, notes()],
    rows: (db) => {
      fill(db, 1, { title: () => 'x' });
      fill(db, 200, { post: () => id(0) }, 'notes');
    },
    run: (target) => target.list('posts', { expand: 'notes_via_post.post.notes_via_post.post.notes_via_post' }),
  },
  {
    name: '49,000 expanded records',
    collections: [linked],
    rows: (db) => fill(db, 500, { rel: all(98) }, 'linked'),
    run: (target) => target.together(4, () => target.list('linked', { expand: 'rel', perPage: 500 })),
  },
];
