import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

type Json = Record<string, unknown>;

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly rootpage: number;
  readonly sql: string | null;
}

describe('the tables of collections', () => {
  let roost: TestRoost;
  let dir: string;
  let token: string;
  let fields: Json[];
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'roost-test-'));
    roost = await startRoost({ dir });
    token = await roost.createSuperuser();
    await roost.createCollections({
      id: 'posts_id',
      name: 'posts',
      type: 'base',
      listRule: '',
      fields: [
        { id: 'f_title', name: 'title', type: 'text' },
        { id: 'f_kind', name: 'kind', type: 'select', values: ['a', 'b'], maxSelect: 1 },
        { id: 'f_gone', name: 'gone', type: 'text' },
      ],
      indexes: [
        'CREATE INDEX idx_title ON posts (title)',
        'CREATE INDEX idx_both ON posts (gone, title)',
        `CREATE INDEX idx_kind ON posts (kind) WHERE kind != ''`,
      ],
    });
    for (const title of ['one', 'three', 'two']) {
      const body = { title, kind: 'b', gone: 'x' };
      expect((await roost.inject({ url: '/api/collections/posts/records', token, body })).status).toBe(200);
    }
    fields = (await roost.inject({ url: '/api/collections/posts', token })).body.fields;
  });
  afterAll(async () => {
    await roost.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const patch = async (name: string, body: Json) => {
    const response = await roost.inject({ method: 'PATCH', url: `/api/collections/${name}`, token, body });
    expect(response.status, response.text).toBe(200);
    return response.body as Json;
  };
  const post = (body: Json) => roost.inject({ url: '/api/collections', token, body });
  const changed = (id: string, change: Json | undefined) =>
    fields.flatMap((field) => (field.id !== id ? [field] : change ? [{ ...field, ...change }] : []));
  const rows = <Row>(sql: string) => roost.app.get(Database, { strict: false }).all<Row>({ sql, params: [] });
  const schema = () => rows<SchemaRow>('SELECT type, name, rootpage, sql FROM sqlite_schema ORDER BY type, name');
  const rootPage = async (table: string) => (await schema()).find(({ name }) => name === table)?.rootpage;
  const titles = async (view: string) =>
    (await roost.inject({ url: `/api/collections/${view}/records?sort=title` })).body.items.map(
      (item: { title: string }) => item.title,
    );

  it('COL-170 COL-162 are altered where they are and never copied, whatever changes', async () => {
    const page = await rootPage('posts');
    const order = () => rows(`SELECT rowid, id, title FROM posts ORDER BY rowid`);
    const before = await order();
    await patch('posts', { fields: [...fields, { id: 'f_new', name: 'added', type: 'number' }] });
    await patch('posts', { fields: changed('f_kind', { name: 'sort', maxSelect: 2 }) });
    await patch('posts', { fields: changed('f_kind', { maxSelect: 1 }) });
    await patch('posts', { listRule: '', indexes: ['CREATE INDEX idx_title ON posts (title DESC)'] });
    await patch('posts', { fields: fields.toReversed() });
    // A copy would be another table, which begins on another page of the file.
    expect(await rootPage('posts')).toBe(page);
    expect(await order()).toEqual(before);
    await patch('posts', { name: 'articles' });
    expect(await rootPage('articles')).toBe(page);
    await patch('articles', { name: 'posts', indexes: ['CREATE INDEX idx_title ON posts (title)'] });
  });

  it('COL-170 belong to nobody else: starting again neither adds nor removes anything', async () => {
    const before = await schema();
    const second = await startRoost({ dir: roost.dir, config: { ROOST_UNSAFE_NO_LOCK: 'true' } }).catch(
      () => undefined,
    );
    await second?.close();
    expect(await schema()).toEqual(before);
  });

  it('COL-171 let go of a column that views and indexes stand on, and take renames into both', async () => {
    const indexes = ['CREATE INDEX idx_title ON posts (title)', 'CREATE INDEX idx_both ON posts (gone, title)'];
    await patch('posts', { fields, indexes });
    expect(
      (await post({ name: 'seen', type: 'view', viewQuery: 'SELECT id, title FROM posts', listRule: '' })).status,
    ).toBe(200);
    const over = await post({ name: 'over', type: 'view', viewQuery: 'SELECT id, title FROM seen', listRule: '' });
    expect(over.status).toBe(200);

    // The index needs the column and both views the table: each would make DROP COLUMN fail.
    const { indexes: left } = await patch('posts', { fields: changed('f_gone', undefined) });
    expect(left).toEqual(['CREATE INDEX idx_title ON posts (title)']);
    expect(await titles('over')).toEqual(['one', 'three', 'two']);

    fields = changed('f_gone', undefined);
    const renamed = await patch('posts', { fields: changed('f_title', { name: 'heading' }) });
    expect(renamed.indexes).toEqual(['CREATE INDEX `idx_title` ON `posts` (`heading`)']);
    // SQLite would have rewritten the views; they are what their queries say, and those no longer run.
    for (const view of ['seen', 'over']) {
      expect((await roost.inject({ url: `/api/collections/${view}/records` })).status).toBe(400);
      const { body } = await roost.inject({ url: `/api/collections/${view}`, token });
      expect(body.viewQuery).toBe(view === 'seen' ? 'SELECT id, title FROM posts' : 'SELECT id, title FROM seen');
    }
    await patch('posts', { fields });
    expect(await titles('over')).toEqual(['one', 'three', 'two']);
  });

  it('COL-171 share one namespace with views and indexes, ignoring case', async () => {
    const before = await schema();
    const refusals: readonly (readonly [Json, object])[] = [
      [{ name: 'IDX_TITLE', type: 'base' }, { name: { code: 'validation_collection_name_invalid' } }],
      [
        { name: 'idx_Title', type: 'view', viewQuery: 'SELECT id FROM posts' },
        { name: { code: 'validation_collection_name_invalid' } },
      ],
      [{ name: 'SEEN', type: 'base' }, { name: { code: 'validation_collection_name_exists' } }],
      [
        { name: 'fresh', type: 'base', indexes: ['CREATE INDEX Posts ON fresh (id)'] },
        { indexes: { '0': { code: 'validation_invalid_index_expression' } } },
      ],
      [
        { name: 'fresh', type: 'base', indexes: ['CREATE INDEX oVer ON fresh (id)'] },
        { indexes: { '0': { code: 'validation_invalid_index_expression' } } },
      ],
      [
        { name: 'fresh', type: 'base', indexes: ['CREATE INDEX IDX_title ON fresh (id)'] },
        { indexes: { '0': { code: 'validation_existing_index_name' } } },
      ],
    ];
    for (const [body, data] of refusals) {
      const refused = await post(body);
      expect(refused.status, JSON.stringify(body)).toBe(400);
      expect(refused.body.data).toMatchObject(data);
      expect(await schema()).toEqual(before);
    }
  });
});
