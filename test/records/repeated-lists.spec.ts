import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import { SqliteDialect, sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

type Call = Parameters<TestRoost['inject']>[0];

/** Ways to change what a list shows; `n` and `m` choose a note, `team` one of the teams. */
const CHANGES = [
  'create',
  'update',
  'upsert',
  'delete',
  'batch',
  'open or close the team',
  'delete the team',
  'truncate',
  'SQL console',
  'another process',
  'rename the field',
  'rule',
] as const;

const change = fc.record({
  kind: fc.constantFrom(...CHANGES),
  n: fc.integer({ min: 0, max: 4 }),
  team: fc.integer({ min: 0, max: 1 }),
  text: fc.integer({ min: 0, max: 99 }).map((number) => `t${number}`),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

interface Note {
  text: string;
  team: string;
}

const noteId = (n: number) => `note${String(n).padStart(11, '0')}`;
const teamId = (n: number) => `team${String(n).padStart(11, '0')}`;

/** Notes of teams, of which those of open teams are listed, as they should be. */
class Expected {
  readonly notes = new Map<string, Note>();
  readonly teams = new Map<string, boolean>();
  field = 'text';
  hidden = false;

  get listed(): unknown[] {
    if (this.hidden) return [];
    return [...this.notes]
      .filter(([, { team }]) => this.teams.get(team))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, { text, team }]) => ({ id, [this.field]: text, expand: { team: { id: team, open: true } } }));
  }
}

describe('lists that are asked again and again', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let token: string;

  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    root = new RecordApi(roost, token);
    await ask({ method: 'PATCH', url: '/api/settings', body: { batch: { enabled: true } } });
    await roost.createCollections(
      {
        id: 'repeated_teams_',
        name: 'teams',
        type: 'base',
        listRule: '',
        viewRule: 'open = true',
        fields: [{ name: 'open', type: 'bool' }],
      },
      {
        id: 'repeated_notes_',
        name: 'notes',
        type: 'base',
        listRule: 'team.open = true',
        viewRule: '',
        fields: [
          { id: 'repeated_text', name: 'text', type: 'text' },
          { name: 'team', type: 'relation', collectionId: 'repeated_teams_', cascadeDelete: true },
        ],
      },
      {
        name: 'counts',
        type: 'view',
        listRule: '',
        viewQuery:
          'SELECT teams.id, COUNT(notes.id) AS notes FROM teams LEFT JOIN notes ON notes.team = teams.id GROUP BY 1',
      },
    );
  });

  afterAll(() => roost.close());

  const ask = async (call: Call): Promise<void> => {
    const { status, text } = await roost.inject({ token, ...call });
    if (status >= 300) throw new Error(`${call.method} ${call.url}: ${text}`);
  };

  async function apply(expected: Expected, { kind, n, team, text }: Change): Promise<void> {
    const { notes, teams, field } = expected;
    const [id, teamOfIt] = [noteId(n), teamId(team)];
    if (!teams.has(teamOfIt)) {
      await root.make('teams', { id: teamOfIt, open: true });
      teams.set(teamOfIt, true);
    }
    const values = { id, [field]: text, team: teamOfIt };
    const note = { text, team: teamOfIt };
    const isThere = notes.has(id);
    switch (kind) {
      case 'create':
      case 'upsert':
        if (kind === 'create' && isThere) return;
        await ask({ method: kind === 'create' ? 'POST' : 'PUT', url: '/api/collections/notes/records', body: values });
        return void notes.set(id, note);
      case 'update':
        if (!isThere) return;
        await ask({ method: 'PATCH', url: `/api/collections/notes/records/${id}`, body: values });
        return void notes.set(id, note);
      case 'delete':
        if (!isThere) return;
        await ask({ method: 'DELETE', url: `/api/collections/notes/records/${id}` });
        return void notes.delete(id);
      case 'batch': {
        const requests = [{ method: 'PUT', url: '/api/collections/notes/records', body: values }];
        await ask({ method: 'POST', url: '/api/batch', body: { requests } });
        return void notes.set(id, note);
      }
      case 'open or close the team':
        teams.set(teamOfIt, !teams.get(teamOfIt));
        return ask({
          method: 'PATCH',
          url: `/api/collections/teams/records/${teamOfIt}`,
          body: { open: teams.get(teamOfIt) },
        });
      case 'delete the team':
        for (const [key, each] of notes) if (each.team === teamOfIt) notes.delete(key);
        teams.delete(teamOfIt);
        return ask({ method: 'DELETE', url: `/api/collections/teams/records/${teamOfIt}` });
      case 'truncate':
        notes.clear();
        return ask({ method: 'DELETE', url: '/api/collections/notes/truncate' });
      case 'SQL console':
        for (const each of notes.values()) each.text = text;
        return ask({ method: 'POST', url: '/api/sql', body: { query: `UPDATE notes SET "${field}" = '${text}'` } });
      case 'another process': {
        for (const each of notes.values()) each.text = text;
        // Of the same driver: two in one process take each other's locks away.
        const file = join(roost.dir, 'data.db');
        const driver = sqliteDriver(process.env.DATABASE_DRIVER === 'sqlite3' ? 'sqlite3' : 'better-sqlite3');
        const other = new Database(new SqliteDialect({ file, driver, queryTimeout: 30 }));
        await other.run({ sql: `UPDATE notes SET "${field}" = ?`, params: [text] });
        return other.lifecycle.close();
      }
      case 'rename the field':
        expected.field = field === 'text' ? 'words' : 'text';
        return patchNotes((fields) =>
          fields.map((each) => (each['id'] === 'repeated_text' ? { ...each, name: expected.field } : each)),
        );
      case 'rule':
        expected.hidden = !expected.hidden;
        return ask({
          method: 'PATCH',
          url: '/api/collections/notes',
          body: { listRule: `team.open = ${expected.hidden ? '"never"' : 'true'}` },
        });
    }
  }

  async function patchNotes(edit: (fields: Record<string, unknown>[]) => unknown): Promise<void> {
    const { body } = await roost.inject({ url: '/api/collections/notes', token });
    await ask({ method: 'PATCH', url: '/api/collections/notes', body: { fields: edit(body.fields) } });
  }

  async function beginAnew(): Promise<void> {
    const teams = (await root.column('teams', 'id')) as string[];
    for (const id of teams) await root.delete('teams', id);
    await patchNotes((fields) =>
      fields.map((each) => (each['id'] === 'repeated_text' ? { ...each, name: 'text' } : each)),
    );
    await ask({ method: 'PATCH', url: '/api/collections/notes', body: { listRule: 'team.open = true' } });
  }

  async function look(expected: Expected): Promise<void> {
    const fields = `id,${expected.field},expand.team.id,expand.team.open`;
    const counted = [...expected.teams.keys()].sort().map((id) => ({
      id,
      notes: [...expected.notes.values()].filter(({ team }) => team === id).length,
    }));
    const guest = root.as(undefined);
    for (let time = 0; time < 3; time++) {
      const { body } = await guest.list('notes', { sort: 'id', expand: 'team', fields });
      expect([body.items, body.totalItems]).toEqual([expected.listed, expected.listed.length]);
      const counts = await guest.list('counts', { sort: 'id', fields: 'id,notes', skipTotal: '1' });
      expect(counts.body.items).toEqual(counted);
    }
  }

  it('SQL-2 show every change at once, whoever made it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 15 }), async (changes) => {
        const expected = new Expected();
        await beginAnew();
        for (const each of changes) {
          await apply(expected, each);
          await look(expected);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('SQL-2 FN-2 show the present time although nobody writes', async () => {
    await beginAnew();
    await root.make('teams', { id: teamId(8), open: true });
    await root.make('notes', { id: noteId(8), text: 'now', team: teamId(8) });
    roost.clock.freeze();
    const hour = new Date(roost.clock.now()).toISOString().slice(11, 13);
    const filter = `strftime('%H', text) = '${hour}'`;
    for (let time = 0; time < 3; time++) expect(await root.column('notes', 'text', { filter })).toEqual(['now']);
    roost.clock.advance(3_600_000);
    const { body } = await root.list('notes', { filter });
    roost.clock.reset();
    expect([body.items, body.totalItems]).toEqual([[], 0]);
  });

  it('SQL-2 show what was answered before they were asked, with writers and readers side by side', async () => {
    await beginAnew();
    await root.make('teams', { id: teamId(9), open: true });
    await root.make('notes', { id: noteId(9), text: '0', team: teamId(9) });
    let stored = 0;
    const seen = new Set<number>();
    let writing = true;
    const read = async (): Promise<void> => {
      while (writing) {
        const least = stored;
        const [text] = await root
          .as(undefined)
          .column('notes', 'text', { filter: `id = "${noteId(9)}"`, skipTotal: '1' });
        expect(Number(text)).toBeGreaterThanOrEqual(least);
        seen.add(Number(text));
        // Without a network nothing else lets the event loop turn.
        await nextTurn();
      }
    };
    const readers = Promise.all(Array.from({ length: 4 }, read));
    for (let number = 1; number <= 60; number++) {
      await root.update('notes', noteId(9), { text: String(number) });
      stored = number;
      // Between some of the writes the same list is asked often enough to be remembered.
      if (number % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    writing = false;
    await readers;
    expect(seen.size).toBeGreaterThan(10);
  });
});
