import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { DatabaseError } from '../../src/database/database.error.js';
import { RecordPresenter } from '../../src/records/read/record-presenter.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { Listener } from './listener.js';

let roost: TestRoost;
beforeAll(async () => {
  roost = await startRoost();
  await roost.createCollections({
    name: 'posts',
    type: 'base',
    listRule: "title != 'private'",
    // About which others have a say.
    viewRule: "@collection.posts.title ?!= ''",
    createRule: '',
    deleteRule: '',
    fields: [{ name: 'title', type: 'text' }],
  });
});
afterAll(() => roost.close());

const away = () => Promise.reject(new DatabaseError('unavailable', 'It restarts.'));
const create = async (title: string) => {
  const { status, body } = await roost.inject({
    method: 'POST',
    url: '/api/collections/posts/records',
    body: { title },
  });
  expect(status).toBe(200);
  return body.id as string;
};

describe('events while the database is away', () => {
  it('SCALE-21 a rule that cannot be asked at the moment keeps an event back, and drops none', async () => {
    const listener = await Listener.to(roost, ['posts/*']);
    const asked = vi.spyOn(roost.app.get(Database, { strict: false }), 'all').mockImplementationOnce(away);
    await create('first');
    await create('private');
    await create('second');
    expect((await listener.settle()).map(({ record }) => record.title)).toEqual(['first', 'second']);
    expect(asked).toHaveBeenCalled();
    asked.mockRestore();
  });

  it('SCALE-21 neither does a record that cannot be read for those who see it', async () => {
    const listener = await Listener.to(roost, ['posts/*']);
    const read = vi.spyOn(roost.app.get(RecordPresenter, { strict: false }), 'prepare');
    await create('first');
    await listener.receive(1);
    // The answer to the create itself is the first to read it.
    let count = 0;
    const { prepare } = RecordPresenter.prototype;
    read.mockImplementation(function (this: RecordPresenter, ...args) {
      return ++count === 2 ? away() : prepare.apply(this, args);
    });
    await create('second');
    await create('third');
    expect((await listener.settle()).map(({ record }) => record.title)).toEqual(['first', 'second', 'third']);
    expect(count).toBeGreaterThan(4);
    read.mockRestore();
  });

  it('SCALE-21 a delete is heard of once by each, whatever had to be asked twice', async () => {
    const id = await create('to be deleted');
    const listener = await Listener.to(roost, ['posts/*', `posts/${id}`]);
    const database = roost.app.get(Database, { strict: false });
    const all = database.all.bind(database);
    let isAway = false;
    const asked = vi.spyOn(database, 'all').mockImplementation((statement) => {
      // The view rule is asked before the record goes, the list rule when it is gone.
      const isLater = JSON.stringify(statement).includes('private');
      if (!isLater || isAway) return all(statement);
      isAway = true;
      return away();
    });
    await roost.inject({ method: 'DELETE', url: `/api/collections/posts/records/${id}` });
    const heard = (await listener.settle()).map(({ topic, action }) => `${action} ${topic}`);
    expect(heard.sort()).toEqual(['delete posts/*', `delete posts/${id}`]);
    expect(isAway).toBe(true);
    asked.mockRestore();
  });
});
