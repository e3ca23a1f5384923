import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RecordRows } from '../../src/records/record-rows.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { Listener } from '../realtime/listener.js';
import { startRoost } from '../support/roost.js';

/** From so many on the database knows the statement by a name. */
const OFTEN = 12;

describe('SCALE-16 what a create takes for granted', () => {
  let roost: TestRoost;
  let token: string;
  let author: string;
  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    await roost.createCollections({ name: 'authors', type: 'base', fields: [{ name: 'name', type: 'text' }] });
    const authors = (await roost.inject({ url: '/api/collections/authors', token })).body as { id: string };
    const relation = { type: 'relation', collectionId: authors.id };
    await roost.createCollections({
      name: 'books',
      type: 'base',
      listRule: '',
      viewRule: '',
      createRule: "@request.body.title != 'forbidden'",
      fields: [
        { name: 'title', type: 'text', max: 20 },
        { name: 'isbn', type: 'text' },
        { name: 'author', ...relation },
        { name: 'others', ...relation, maxSelect: 20 },
      ],
      indexes: ["CREATE UNIQUE INDEX idx_books_isbn ON books (isbn) WHERE isbn != ''"],
    });
    author = (await roost.inject({ method: 'POST', url: '/api/collections/authors/records', token, body: {} })).body.id;
    for (let time = 0; time < OFTEN; time++) expect((await create({ author, others: [author] })).status).toBe(200);
  });
  afterAll(() => roost.close());

  const create = (body: object): Promise<TestResponse> =>
    roost.inject({ method: 'POST', url: '/api/collections/books/records', body });
  const count = async (): Promise<number> =>
    (await roost.inject({ url: '/api/collections/books/records?perPage=1' })).body.totalItems;

  it('is told with everything else that is wrong', async () => {
    const before = await count();
    const missing = { code: 'validation_missing_rel_records' };
    const one = await create({ author: 'nobody000000000', others: [author] });
    expect([one.status, one.body.data]).toMatchObject([400, { author: missing }]);
    const list = await create({ author, others: [author, 'nobody000000000'] });
    expect([list.status, list.body.data]).toMatchObject([400, { others: missing }]);
    const all = await create({ title: 'x'.repeat(21), author: 'nobody000000000', others: ['nobody000000000'] });
    expect([all.status, Object.keys(all.body.data).sort()]).toEqual([400, ['author', 'others', 'title']]);
    const refused = await create({ title: 'forbidden', author: 'nobody000000000' });
    expect([refused.status, refused.body.data]).toEqual([400, {}]);
    expect(await count()).toBe(before);
  });

  it('OPS-39 is no id that is longer than ids are, which is not written before it is found out', async () => {
    const insert = vi.spyOn(roost.app.get(RecordRows, { strict: false }), 'insert');
    const others = ['\u0001'.repeat(256)];
    const refused = await create({ author, others });
    expect([refused.status, refused.body.data]).toMatchObject([
      400,
      { others: { code: 'validation_missing_rel_records' } },
    ]);
    expect(insert).not.toHaveBeenCalled();
    expect((await create({ author, others: [author] })).status).toBe(200);
    expect(insert).toHaveBeenCalledOnce();
    insert.mockRestore();
  });

  it('does not hide a value that another record has', async () => {
    expect((await create({ isbn: 'one', author })).status).toBe(200);
    const again = await create({ isbn: 'one', author });
    expect([again.status, again.body.data]).toMatchObject([400, { isbn: { code: 'validation_not_unique' } }]);
  });

  it('ERR-2 a value that another record has is refused with the words for what was asked', async () => {
    const send = (method: 'POST' | 'PATCH' | 'PUT', path: string, body: object): Promise<TestResponse> =>
      roost.inject({ method, url: `/api/collections/books/records${path}`, token, body });
    const two = await create({ isbn: 'two', author });
    const other = await create({ isbn: 'other', author });
    const answers = [
      await send('POST', '', { isbn: 'two' }),
      await send('PUT', '', { isbn: 'two' }),
      await send('PATCH', `/${other.body.id}`, { isbn: 'two' }),
      await send('PUT', '', { id: two.body.id, isbn: 'other' }),
    ];
    const created = 'The record could not be created.';
    const updated = 'The record could not be updated.';
    expect(answers.map(({ body }) => body.message)).toEqual([created, created, updated, updated]);
    for (const { body } of answers) expect(body.data).toMatchObject({ isbn: { code: 'validation_not_unique' } });
  });

  it('is told of to those who listen where it held, and to nobody else', async () => {
    const listener = await Listener.to(roost, ['books/*']);
    await create({ title: 'first', author: 'nobody000000000' });
    await create({ title: 'second', author });
    const messages = await listener.receive(1);
    expect(messages.map(({ action, record }) => [action, record.title])).toEqual([['create', 'second']]);
  });

  it('SCALE-23 goes by the definitions that hold when it is written', async () => {
    let isOver = false;
    const statuses = new Set<number>();
    const writers = Array.from({ length: 10 }, async () => {
      while (!isOver) statuses.add((await create({ title: 'while they change', author })).status);
    });
    const url = '/api/collections/books';
    for (let time = 0; time < 6; time++) {
      const { fields } = (await roost.inject({ url, token })).body as { fields: { name: string }[] };
      const changed =
        time % 2 === 0 ? [...fields, { name: 'extra', type: 'number' }] : fields.filter(({ name }) => name !== 'extra');
      expect((await roost.inject({ method: 'PATCH', url, token, body: { fields: changed } })).status).toBe(200);
    }
    isOver = true;
    await Promise.all(writers);
    expect([...statuses]).toEqual([200]);
  });
});
