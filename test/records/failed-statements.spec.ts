import { Injectable, Module } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { EntityManager } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { BeforeRecordCreate, type RecordCreateEvent } from '../../src/records/record.hooks.js';
import { RecordsModule } from '../../src/records/records.module.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { breakTransactionsByFailures } from '../support/broken-by-failure.js';
import { startRoost } from '../support/roost.js';

const PASSWORD = 'correct horse';

/** Does what fails inside the transaction of a create, in the way that stands in the text of the record. */
@Injectable()
class Attempts {
  readonly failures: unknown[] = [];

  constructor(
    private readonly records: RecordsService,
    private readonly database: Database,
    @InjectEntityManager() private readonly manager: EntityManager,
  ) {}

  @BeforeRecordCreate('logged')
  async attempt({ record }: RecordCreateEvent): Promise<void> {
    const ways: Record<string, () => Promise<unknown>> = {
      'of a record': () => this.records.create('once', { code: 'taken' }),
      'that writes': () =>
        this.database.run({ sql: "INSERT INTO once (id, code) VALUES ('fifteen_letters', 'taken')", params: [] }),
      'that reads': () => this.database.all({ sql: 'SELECT nothing FROM once', params: [] }),
      'of TypeORM': () => this.manager.query('SELECT nothing FROM once'),
    };
    const way = ways[record.get('text') as string];
    for (let time = 0; time < 2; time++) {
      await way?.().catch((error: unknown) => this.failures.push(error));
    }
    await this.records.create('notes', { text: `before ${String(record.get('text'))}` });
  }
}

@Module({ imports: [RecordsModule], providers: [Attempts] })
class AttemptsModule {}

describe('SCALE-17 a statement that fails inside a transaction', () => {
  let roost: TestRoost;
  let token: string;
  beforeAll(async () => {
    roost = await startRoost({ imports: [AttemptsModule] });
    token = await roost.createSuperuser();
    await roost.createCollections(
      { name: 'notes', type: 'base', fields: [{ name: 'text', type: 'text' }] },
      { name: 'logged', type: 'base', fields: [{ name: 'text', type: 'text' }] },
      {
        name: 'once',
        type: 'base',
        fields: [{ name: 'code', type: 'text' }],
        indexes: ['CREATE UNIQUE INDEX idx_once ON once (code)'],
      },
      { name: 'shown', type: 'view', viewQuery: 'SELECT id FROM notes' },
    );
    await roost.createCollections({
      name: 'members',
      type: 'auth',
      listRule: '',
      viewRule: '',
      createRule: '',
      updateRule: 'id = @request.auth.id',
      manageRule: "@collection.shown.id != ''",
      fields: [
        { name: 'password', type: 'password', min: 8, cost: 4 },
        { name: 'name', type: 'text' },
      ],
    });
    await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: { batch: { enabled: true } } });
    const values = { email: 'ann@x.io', password: PASSWORD, passwordConfirm: PASSWORD };
    await roost.inject({ url: '/api/collections/members/records', body: values });
  });
  afterAll(() => roost.close());
  afterEach(() => vi.restoreAllMocks());

  it('of a rule that cannot be asked any more leaves the rest of a batch as it is', async () => {
    const signedIn = await roost.inject({
      url: '/api/collections/members/auth-with-password',
      body: { identity: 'ann@x.io', password: PASSWORD },
    });
    const { token: own, record } = signedIn.body as { token: string; record: { id: string } };
    // Who may manage accounts is asked of a view that is gone: nobody may.
    await roost.app.get(Database, { strict: false }).run({ sql: 'DROP VIEW "shown"', params: [] });
    breakTransactionsByFailures();
    const url = `/api/collections/members/records/${record.id}`;
    const requests = ['Ann', 'Anna'].map((name) => ({ method: 'PATCH', url, body: { name } }));
    const batch = await roost.inject({ url: '/api/batch', token: own, body: { requests } });
    expect([batch.status, batch.body.map?.((item: { status: number }) => item.status)]).toEqual([200, [200, 200]]);
    expect((await roost.inject({ url, token: own })).body.name).toBe('Anna');
  });

  it.each(['of a record', 'that writes', 'that reads', 'of TypeORM'])(
    '%s and is caught by a hook leaves what it does after that',
    async (text) => {
      const attempts = roost.app.get(Attempts);
      attempts.failures.length = 0;
      await roost.inject({ url: '/api/collections/once/records', token, body: { code: 'taken' } });
      const created = await roost.inject({ url: '/api/collections/logged/records', token, body: { text } });
      expect([created.status, attempts.failures.length]).toEqual([200, 2]);
      const filter = encodeURIComponent(`text = 'before ${text}'`);
      const notes = await roost.inject({ url: `/api/collections/notes/records?filter=${filter}`, token });
      expect(notes.body.totalItems).toBe(1);
    },
  );

  it('of the query of a view is tried again with a text for what is no column', async () => {
    breakTransactionsByFailures();
    const body = { name: 'stated', type: 'view', viewQuery: 'SELECT id, "open" AS state FROM notes' };
    const created = await roost.inject({ url: '/api/collections', token, body });
    expect([created.status, created.body.viewQuery]).toEqual([200, "SELECT id, 'open' AS state FROM notes"]);
  });
});
