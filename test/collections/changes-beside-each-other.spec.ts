import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Startup } from '../../src/cli/startup.js';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { assembleRoost } from '../../src/assemble-roost.js';
import { CollectionsApp } from './support/collections-app.js';
import { actualShape, expectedShape } from './support/table-shape.js';

describe('changes of collections beside each other', () => {
  let app: CollectionsApp;
  beforeEach(async () => {
    app = await CollectionsApp.start();
    await app.create({
      name: 'posts',
      type: 'base',
      fields: [
        { name: 'a', type: 'text' },
        { name: 'b', type: 'text' },
      ],
    });
    await app.sql(`INSERT INTO posts (id, a, b) VALUES ('r', 'A', 'B')`);
  });
  afterEach(() => app.stop());

  it('COL-116 take turns, and each works on what the one before has left', async () => {
    const changes = Array.from({ length: 10 }, (_, index) =>
      app.database.transaction(async () => {
        const { fields } = app.collections.get('posts');
        await app.update('posts', { fields: [...fields, { name: `f${index}`, type: 'number' }] });
      }),
    );
    await Promise.all(changes);
    const posts = app.collections.get('posts');
    expect(posts.fields).toHaveLength(15);
    expect(await actualShape(app, 'posts')).toEqual(expectedShape(posts));
  });

  it('COL-111 COL-116 a catalog never names columns the table does not have', async () => {
    const work = { isDone: false };
    const swap = async () => {
      for (let round = 0; round < 20; round++) {
        const { fields } = app.collections.get('posts');
        const swapped = fields.map((field) => ({ ...field, name: { a: 'b', b: 'a' }[field.name] ?? field.name }));
        await app.update('posts', { fields: swapped });
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      work.isDone = true;
    };
    const idOfA = app.collections.get('posts').field('a')!.id;
    let looks = 0;
    const look = async () => {
      while (!work.isDone) {
        const { catalog } = app.store;
        const name = catalog.find('posts')!.fieldById(idOfA)!.name;
        const rows = await app.sql<{ value: string }>(`SELECT "${name}" AS value FROM posts`);
        // A read that saw a commit on its way is not counted. A turn of one's own comes after all earlier commits.
        await app.database.transaction(() => Promise.resolve());
        await new Promise((resolve) => setImmediate(resolve));
        if (app.store.catalog === catalog) {
          expect(rows).toEqual([{ value: 'A' }]);
          looks++;
        }
      }
    };
    await Promise.all([swap(), look(), look()]);
    expect(looks).toBeGreaterThan(0);
  });

  it('COL-160 OPS-175 what another process changed is seen within a second', async () => {
    const env = { DATABASE_DRIVER: process.env.DATABASE_DRIVER };
    const other = await assembleRoost({ config: { ROOST_DIR: app.dir } }, { argv: [], env, cwd: app.dir });
    await other.app.get(Startup).open(false);
    await other.app.get(CollectionsService, { strict: false }).create({ name: 'elsewhere', type: 'base' });
    const deadline = Date.now() + 5000;
    while (!app.collections.find('elsewhere') && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(app.collections.find('elsewhere')).toBeDefined();
    await other.app.close();
  });
});
