import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';
import { watchReads } from '../support/watch-reads.js';

interface Field {
  readonly id: string;
  readonly name: string;
}

/** Two fields take each other's names, again and again, while records are read. Values tell which field they are of. */
describe('reads during changes of the schema', () => {
  let roost: TestRoost;
  let token: string;
  let guest: RecordApi;
  let pair: string;

  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    guest = new RecordApi(roost);
    const open = { type: 'base', listRule: 'up != down', viewRule: 'up != down' };
    const fields = [
      { id: 'field_text', name: 'up', type: 'text' },
      { id: 'field_number', name: 'down', type: 'number' },
    ];
    await roost.createCollections(
      { id: 'steady_pairs_01', name: 'pairs', ...open, fields },
      {
        id: 'steady_owners_1',
        name: 'owners',
        type: 'base',
        listRule: '',
        viewRule: '',
        fields: [{ name: 'pair', type: 'relation', collectionId: 'steady_pairs_01', maxSelect: 1 }],
      },
    );
    const root = guest.as(token);
    pair = (await root.make('pairs', { up: 'text', down: 7 })).id;
    for (let index = 0; index < 20; index++) await root.make('pairs', { up: 'text', down: 7 });
    await root.make('owners', { pair });
  });

  afterAll(() => roost.close());

  const swap = async (): Promise<void> => {
    const { body } = await roost.inject({ url: '/api/collections/pairs', token });
    const other = (name: string) => (name === 'up' ? 'down' : name === 'down' ? 'up' : name);
    const fields = (body.fields as Field[]).map((field) => ({ ...field, name: other(field.name) }));
    const answer = await roost.inject({ method: 'PATCH', url: '/api/collections/pairs', token, body: { fields } });
    if (answer.status !== 200) throw new Error(answer.text);
  };

  /** A record as one version of the catalog has it: nothing crossed, nothing missing. */
  const isWhole = ({ up, down }: Record<string, unknown>): boolean =>
    (up === 'text' && down === 7) || (up === 7 && down === 'text');

  const found = ({ status, body }: TestResponse, records: (body: TestResponse['body']) => Record<string, unknown>[]) =>
    status === 200 ? records(body).map((record) => isWhole(record)) : [`${status} ${body?.message}`];

  const look = async (): Promise<(boolean | string)[]> => {
    const answers = await Promise.all([
      guest.list('pairs').then((answer) => found(answer, ({ items }) => items)),
      guest.list('pairs', { sort: '-created', perPage: '5' }).then((answer) => found(answer, ({ items }) => items)),
      guest.view('pairs', pair).then((answer) => found(answer, (body) => [body])),
      guest.list('owners', { expand: 'pair' }).then((answer) => found(answer, ({ items }) => [items[0].expand.pair])),
    ]);
    return answers.flat();
  };

  it('SQL-2 a read sees one version of the catalog from start to end', async () => {
    let swapping = true;
    const swaps = (async () => {
      for (let count = 0; count < 10; count++) await swap();
    })().finally(() => (swapping = false));
    const seen = new Set<boolean | string>();
    let rounds = 0;
    while (swapping) {
      for (const result of await look()) seen.add(result);
      rounds++;
      // Without a network nothing else lets the event loop turn.
      await nextTurn();
    }
    await swaps;
    expect([...seen]).toEqual([true]);
    expect(rounds).toBeGreaterThan(5);
  });

  it.each([
    [
      'a list',
      () => guest.list('pairs', { perPage: '1', skipTotal: '1' }),
      (body: TestResponse['body']) => body.items[0],
    ],
    ['a record', () => guest.view('pairs', pair), (body: TestResponse['body']) => body],
    [
      'a related record',
      () => guest.list('owners', { expand: 'pair', skipTotal: '1' }),
      (body: TestResponse['body']) => body.items[0].expand.pair,
    ],
  ])('SQL-2 a change that is committed just before %s is read is noticed', async (_, read, recordOf) => {
    const database = roost.app.get(Database, { strict: false });
    let changed = false;
    // The statement is compiled when it comes here, and what it reads changes its meaning.
    watchReads(database, (run, { sql }) => {
      if (changed || database.inTransaction || !sql.includes('"pairs"')) return run();
      changed = true;
      return swap().then(run);
    });
    try {
      const { status, body } = await read();
      expect([status, changed]).toEqual([200, true]);
      expect(isWhole(recordOf(body))).toBe(true);
    } finally {
      vi.restoreAllMocks();
    }
  });
});
