import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DatabaseError } from '../../src/database/database.error.js';
import { CollectionsApp } from './support/collections-app.js';

describe('a change of collections that fails', () => {
  let app: CollectionsApp;
  beforeEach(async () => {
    app = await CollectionsApp.start();
    const posts = await app.create({
      name: 'posts',
      type: 'base',
      fields: [
        { name: 'title', type: 'text' },
        { name: 'tag', type: 'select', values: ['a', 'b'], maxSelect: 1 },
        { name: 'old', type: 'text' },
        { name: 'author', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
      ],
      indexes: ['CREATE UNIQUE INDEX idx_title ON posts (title)', 'CREATE INDEX idx_tag ON posts (tag, old)'],
    });
    await app.sql(`INSERT INTO posts (id, title, tag, old) VALUES ('r1', 'one', 'a', 'x'), ('r2', 'two', 'b', 'y')`);
    await app.create({ name: 'titles', type: 'view', viewQuery: 'SELECT id, title FROM posts' });
    await app.create({ name: 'loud', type: 'view', viewQuery: 'SELECT t.id, t.title AS words FROM titles t' });
    expect(posts.fields).toHaveLength(7);
  });
  afterEach(() => app.stop());

  /** Lets the n-th writing statement fail, for every n, until the change gets through. */
  async function failAtEachStep(change: () => Promise<unknown>): Promise<number> {
    const before = await app.state();
    for (let failing = 1; ; failing++) {
      let statements = 0;
      const { writes } = app.database;
      const execute = writes.run.bind(writes);
      const spy = vi.spyOn(writes, 'run').mockImplementation(((statement: never) => {
        statements++;
        if (statements === failing) return Promise.reject(new DatabaseError('other', 'injected'));
        return execute(statement);
      }) as never);
      const failure = await change().then(
        () => undefined,
        (error: unknown) => error,
      );
      spy.mockRestore();
      if (failure === undefined) return statements;
      if (statements < failing) throw failure;
      expect(await app.state(), `after a failure at statement ${failing}`).toEqual(before);
    }
  }

  it('COL-111 COL-160 COL-161 leaves tables, indexes, views, definitions and caches as they were', async () => {
    const fields = app.collections.get('posts').fields;
    const steps = await failAtEachStep(() =>
      app.update('posts', {
        name: 'articles',
        fields: [
          ...fields
            .filter((field) => field.name !== 'old')
            .map((field) => {
              if (field.name === 'tag') return { ...field, name: 'tags', maxSelect: 2 };
              return field;
            }),
          { name: 'body', type: 'editor' },
        ],
        indexes: ['CREATE UNIQUE INDEX idx_title ON posts (title)', 'CREATE INDEX idx_tags ON posts (tags, body)'],
      }),
    );
    expect(steps).toBeGreaterThan(12);
    expect(app.collections.get('articles').field('tags')?.maxSelect).toBe(2);
  });

  it('COL-90 COL-111 a delete that fails deletes nothing', async () => {
    await app.collections.delete('loud');
    await app.collections.delete('titles');
    expect(await failAtEachStep(() => app.collections.delete('posts'))).toBeGreaterThan(1);
    expect(app.collections.find('posts')).toBeUndefined();
  });

  it('COL-99 COL-111 an import that fails imports nothing', async () => {
    const steps = await failAtEachStep(() =>
      app.collections.import(
        [
          {
            name: 'posts',
            fields: [
              { name: 'title', type: 'text' },
              { name: 'tag', type: 'select', values: ['a', 'b'], maxSelect: 2 },
            ],
          },
          { name: 'comments', type: 'base', fields: [{ name: 'text', type: 'text' }] },
          { name: 'titles', type: 'view', viewQuery: 'SELECT id, title AS name FROM posts' },
        ],
        { deleteMissing: true },
      ),
    );
    expect(steps).toBeGreaterThan(15);
    expect(
      app
        .exported()
        .filter(({ system }) => !system)
        .map(({ name }) => name),
    ).toEqual(['posts', 'titles', 'comments']);
  });

  it('COL-111 a failed commit leaves nothing either', async () => {
    const before = await app.state();
    const failing = app.database.transaction(async () => {
      await app.update('posts', { name: 'articles' });
      expect(app.collections.find('articles')).toBeDefined();
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await app.state()).toEqual(before);
    await app.update('posts', { name: 'articles' });
  });

  it('COL-116 nobody but the transaction itself sees a change before it is committed', async () => {
    let seenOutside: string[] = [];
    const look = (): string[] => app.collections.all().map(({ name }) => name);
    await app.database.transaction(async () => {
      await app.update('posts', { name: 'articles' });
      expect(look()).toContain('articles');
      seenOutside = await app.database.runOutside(() => Promise.resolve(look()));
    });
    expect(seenOutside).toContain('posts');
    expect(look()).toContain('articles');
  });

  it('COL-111 undoing a part of a transaction brings back the definitions of that part only', async () => {
    await app.database.transaction(async () => {
      await app.update('posts', { listRule: '' });
      const inner = app.database.transaction(async () => {
        await app.update('posts', { name: 'articles' });
        await app.update('articles', { viewRule: '' });
        throw new Error('inner');
      });
      await expect(inner).rejects.toThrow('inner');
      expect(app.collections.find('articles')).toBeUndefined();
      expect(app.collections.get('posts').listRule).toBe('');
    });
    expect(app.collections.get('posts')).toMatchObject({ listRule: '', viewRule: null });
  });
});
