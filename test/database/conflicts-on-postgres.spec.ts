import { Injectable, Module } from '@nestjs/common';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import {
  AfterRecordUpdate,
  BeforeRecordCreate,
  BeforeRecordUpdate,
  type RecordCreateEvent,
  type RecordUpdateEvent,
} from '../../src/records/record.hooks.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { gate } from '../support/gate.js';
import { PostgresCluster } from '../support/postgres-cluster.js';
import { startRoost } from '../support/roost.js';

const MOST_RUNS = 6;

/** What happened inside transactions, and what is to happen there. */
@Injectable()
class Interference {
  /** Names of the records whose hooks ran, in the order in which they did. */
  readonly before: unknown[] = [];
  readonly after: unknown[] = [];
  /** Called inside the transaction, before the record is written. */
  inside: (name: unknown) => Promise<void> = () => Promise.resolve();

  @BeforeRecordCreate('things')
  @BeforeRecordUpdate('things')
  async note({ record }: RecordCreateEvent | RecordUpdateEvent): Promise<void> {
    this.before.push(record.get('name'));
    await this.inside(record.get('name'));
  }

  @AfterRecordUpdate('things')
  told({ record }: RecordUpdateEvent): void {
    this.after.push(record.get('name'));
  }
}

@Module({ providers: [Interference] })
class InterferenceModule {}

describe.skipIf(PostgresCluster.programs === undefined)('SCALE-17 a transaction that others get in the way of', () => {
  let cluster: PostgresCluster;
  let roost: TestRoost;
  let token: string;
  let hooks: Interference;
  let ids: Record<string, string>;

  beforeAll(async () => {
    cluster = await PostgresCluster.start();
    const url = await cluster.newDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // A second is long where every test waits for it.
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET deadlock_timeout = '20ms'`);
    await client.query(`CREATE FUNCTION get_in_the_way(state text) RETURNS int LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = state; END $$`);
    await client.end();
    roost = await startRoost({ imports: [InterferenceModule], config: { DATABASE_URL: url } });
    hooks = roost.app.get(Interference);
    token = await roost.createSuperuser();
    const fields = [
      { name: 'name', type: 'text' },
      { name: 'count', type: 'number' },
      { name: 'cover', type: 'file' },
    ];
    await roost.createCollections({ name: 'things', type: 'base', fields });
    await roost.inject({
      method: 'PATCH',
      url: '/api/settings',
      token,
      body: { batch: { enabled: true, timeout: 30 } },
    });
  });
  afterAll(async () => {
    await roost.close();
    await cluster.stop();
  });
  beforeEach(async () => {
    hooks.inside = () => Promise.resolve();
    const made = await Promise.all(['a', 'b'].map((name) => send('POST', { name })));
    ids = { a: made[0]!.body.id as string, b: made[1]!.body.id as string };
    hooks.before.length = 0;
    hooks.after.length = 0;
  });

  it('because each waits for the other is done again, and each hook of what was done is told once', async () => {
    // Each has changed one record before either wants the second.
    const bothBegan = gate();
    let begun = 0;
    hooks.inside = async () => {
      begun++;
      if (begun === 2) bothBegan.open();
      await bothBegan.opened;
    };
    const answers = await Promise.all([addTo('a', 'b'), addTo('b', 'a')]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect([await count('a'), await count('b')]).toEqual([2, 2]);
    // One of them got as far as its second record and was given up there, before its hook: its first record
    // has a third hook at least. There are more when it is back before the other has seen that the way is free.
    expect(hooks.before.length).toBeGreaterThan(4);
    await expect.poll(() => hooks.after.toSorted()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('because fifty change the same two records in any order is done again until all are through', async () => {
    const orders = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? ['a', 'b'] : ['b', 'a']));
    const answers = await Promise.all(
      orders.map(async (order) => {
        // What was given up five times is for the client to ask for again.
        for (let answer = await addTo(...order); ; answer = await addTo(...order)) {
          if (answer.status !== 409) return answer.status;
          expect([answer.body.data, answer.headers['retry-after']]).toEqual([{}, '1']);
        }
      }),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
    expect([await count('a'), await count('b')]).toEqual([50, 50]);
  });

  it.each([
    ['a serialisation failure', '40001'],
    ['a deadlock', '40P01'],
  ])('all the time, as by %s, is answered 409 after five more attempts', async (_name, state) => {
    hooks.inside = () => getInTheWay(state);
    const answer = await addTo('a', 'b');
    expect([answer.status, answer.body.code, answer.body.data, answer.headers['retry-after']]).toEqual([
      409,
      409,
      {},
      '1',
    ]);
    expect(hooks.before).toEqual(Array.from({ length: MOST_RUNS }, () => 'a'));
    const single = await send('POST', { name: 'new' });
    expect([single.status, single.body.data, single.headers['retry-after']]).toEqual([409, {}, '1']);
    expect(hooks.before).toHaveLength(2 * MOST_RUNS);
    expect([await count('a'), await count('b'), hooks.after]).toEqual([0, 0, []]);
  });

  it('a few times is answered as if nobody had been there', async () => {
    let failures = 3;
    hooks.inside = () => (failures-- > 0 ? getInTheWay('40001') : Promise.resolve());
    expect((await addTo('a', 'b')).status).toBe(200);
    expect([await count('a'), await count('b')]).toEqual([1, 1]);
  });

  it('is not done again once something outside of it has happened', async () => {
    const undone: string[] = [];
    hooks.inside = async () => {
      roost.app.get(Database, { strict: false }).afterRollback(() => void undone.push('taken back'));
      await getInTheWay('40001');
    };
    const answer = await addTo('a', 'b');
    expect([answer.status, answer.body.data, answer.headers['retry-after']]).toEqual([409, {}, '1']);
    expect([hooks.before, undone]).toEqual([['a'], ['taken back']]);
  });

  async function getInTheWay(state: string): Promise<void> {
    await roost.app.get(Database, { strict: false }).all({ sql: 'SELECT get_in_the_way($1)', params: [state] });
  }

  function addTo(...names: readonly string[]): Promise<TestResponse> {
    const requests = names.map((name) => ({
      method: 'PATCH',
      url: `/api/collections/things/records/${ids[name]}`,
      body: { 'count+': 1 },
    }));
    return roost.inject({ url: '/api/batch', token, body: { requests } });
  }

  function send(method: 'POST', body: unknown): Promise<TestResponse> {
    return roost.inject({ method, url: '/api/collections/things/records', token, body });
  }

  async function count(name: string): Promise<number> {
    const { body } = await roost.inject({ url: `/api/collections/things/records/${ids[name]}`, token });
    return body.count as number;
  }
});
