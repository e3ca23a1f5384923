import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { KillablePool } from '../../src/database/sqlite/killable-pool.js';
import { SqliteTransaction } from '../../src/database/sqlite/sqlite-transaction.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

/** More than may be looked through where nothing can be cut off. */
const MANY = 12_000;

const UNUSED = '@collection.votes.choice != @request.body.choice';
const KNOWN = '@collection.votes.choice ?= @request.body.choice';

const VOTES = {
  name: 'votes',
  type: 'base',
  listRule: '',
  createRule: UNUSED,
  updateRule: UNUSED,
  deleteRule: '@collection.votes:other.choice ?= "choice 7" && choice = "mine"',
  fields: [{ name: 'choice', type: 'text' }],
};
const NOTES = {
  name: 'notes',
  type: 'base',
  listRule: '',
  createRule: KNOWN,
  fields: [
    { name: 'choice', type: 'text' },
    { name: 'file', type: 'file', maxSelect: 1 },
  ],
};
const MOMENTS = {
  name: 'moments',
  type: 'base',
  createRule: '@collection.votes.choice ?= @request.body.choice && @now > "2020"',
  fields: [{ name: 'choice', type: 'text' }],
};

describe('SCALE-3 rules of writes that may take long', () => {
  let roost: TestRoost;
  let guest: RecordApi;
  let apart: ReturnType<typeof vi.spyOn>;

  beforeAll(async () => {
    roost = await startRoost();
    await roost.createSuperuser();
    await roost.createCollections(VOTES, NOTES, MOMENTS);
    await roost.app.get(Database, { strict: false }).run({
      sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
            INSERT INTO votes (id, choice) SELECT 'vote' || i, 'choice ' || i FROM n`,
      params: [],
      writes: ['votes'],
    });
    guest = new RecordApi(roost);
  }, 60_000);

  afterAll(() => roost.close());

  beforeEach(() => {
    vi.restoreAllMocks();
    apart = vi.spyOn(KillablePool.prototype, 'use');
  });

  it('are asked before the transaction, and never on its connection', async () => {
    const executed = vi.spyOn(SqliteTransaction.prototype, 'execute');
    expect(await guest.create('notes', { choice: 'choice 5' })).toMatchObject({ status: 200 });
    expect(await guest.create('notes', { choice: 'none' })).toMatchObject({ status: 400 });
    expect(apart).toHaveBeenCalled();
    const inside = executed.mock.calls.filter(([{ sql }]) => sql.includes('EXISTS') && sql.includes('"votes"'));
    expect(inside).toEqual([]);
  });

  it('are as good when macros of the time stand in them', async () => {
    expect(await guest.create('moments', { choice: 'choice 5' })).toMatchObject({ status: 200 });
    expect(await guest.create('moments', { choice: 'none' })).toMatchObject({ status: 400 });
  });

  it('hold for the record as it is written, whatever is written at the same time', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => guest.create('votes', { choice: 'wanted by all' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });

  it('see what the same batch has written', async () => {
    await roost.app.get(SettingsService, { strict: false }).patch({ batch: { enabled: true } });
    const create = (choice: string) => ({ method: 'POST', url: '/api/collections/votes/records', body: { choice } });
    const send = (...choices: string[]) =>
      roost.inject({ method: 'POST', url: '/api/batch', body: { requests: choices.map(create) } });
    expect(await send('one', 'two')).toMatchObject({ status: 200 });
    expect(await send('three', 'three')).toMatchObject({ status: 400 });
  });

  it('decide about updates and deletes as well', async () => {
    const [first] = (await guest.list('votes', { filter: 'choice = "choice 1"' })).body.items;
    expect(await guest.update('votes', first.id, { choice: 'choice 2' })).toMatchObject({ status: 404 });
    expect(await guest.update('votes', first.id, { choice: 'mine' })).toMatchObject({ status: 200 });
    expect(await guest.delete('votes', 'vote3')).toMatchObject({ status: 404 });
    expect(await guest.delete('votes', first.id)).toMatchObject({ status: 204 });
  });
});
