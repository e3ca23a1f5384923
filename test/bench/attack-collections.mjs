// Collections that attacks have in common, and what fills them.
import { id } from './attack-target.mjs';

const NOW = '2026-01-01 10:00:00.000Z';

/** Guests may do everything with them but change them. */
export const posts = {
  id: 'bench_posts___1',
  name: 'posts',
  type: 'base',
  listRule: '',
  viewRule: '',
  createRule: '',
  deleteRule: '',
  fields: [{ name: 'title', type: 'text' }],
};

/** Notes that belong to a post; `options` are those of the relation. */
export const notes = (options) => ({
  ...posts,
  id: 'bench_notes___1',
  name: 'notes',
  fields: [{ name: 'post', type: 'relation', collectionId: posts.id, maxSelect: 1, ...options }],
});

/** A relation is looked up without reading all notes. */
export const indexed = { indexes: ['CREATE INDEX idx_notes_post ON notes (post)'] };

/** Writes records with these values, each a function of its number, straight into their table. */
export function fill(db, count, values, table = 'posts') {
  const columns = Object.keys(values);
  const insert = db.prepare(
    `INSERT INTO ${table} (id, created, updated, ${columns}) VALUES (?, ?, ?${', ?'.repeat(columns.length)})`,
  );
  for (let index = 0; index < count; index += 1) {
    insert.run(id(index), NOW, NOW, ...columns.map((name) => values[name](index)));
  }
}
