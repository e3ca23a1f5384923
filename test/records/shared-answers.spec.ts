import { type CallHandler, type ExecutionContext, Injectable, Module, type NestInterceptor } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import fc from 'fast-check';
import { map, type Observable } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { SqliteDialect, sqliteDriver } from '../../src/database/sqlite/sqlite-dialect.js';
import { Database, EnrichRecord } from '../../src/index.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;
type Query = Readonly<Record<string, string>>;

const TIMES = 3;
const PASSWORD = { password: '1234567890', passwordConfirm: '1234567890' };
const id = (name: string) => name.padEnd(15, '0');

const COLLECTIONS = [
  { id: id('tags'), name: 'tags', type: 'base', listRule: '', viewRule: '', fields: [{ name: 'label', type: 'text' }] },
  {
    id: id('people'),
    name: 'people',
    type: 'auth',
    listRule: '',
    viewRule: '',
    fields: [{ name: 'name', type: 'text' }],
  },
  {
    id: id('notes'),
    name: 'notes',
    type: 'base',
    listRule: '',
    viewRule: '',
    fields: [
      { id: 'notes_text', name: 'text', type: 'text' },
      { name: 'secret', type: 'text', hidden: true },
      { name: 'author', type: 'relation', collectionId: id('people') },
      { name: 'tags', type: 'relation', collectionId: id('tags'), maxSelect: 9 },
    ],
  },
];

const QUERIES: readonly (readonly [string, Query])[] = [
  ['notes', {}],
  ['notes', { expand: 'author,tags' }],
  ['notes', { expand: 'author,tags', how: 'manager' }],
  ['notes', { expand: 'tags', fields: 'id,expand.tags.label', perPage: '2', page: '2' }],
  ['notes', { fields: '*,text:excerpt(3)', skipTotal: '1' }],
  ['notes', { sort: '-id', expand: 'author.notes_via_author' }],
  ['people', { expand: 'notes_via_author' }],
  ['people', {}],
  ['people', { how: 'manager' }],
];

const CHANGES = [
  'text',
  'secret',
  'name',
  'address shown or not',
  'label',
  'delete a tag',
  'who may see tags',
  'who manages people',
  'text hidden or not',
  'tags renamed',
] as const;

const change = fc.record({
  kind: fc.constantFrom(...CHANGES),
  which: fc.integer({ min: 0, max: 2 }),
  value: fc.nat(99),
});

let roost: TestRoost;
let root: RecordApi;
let token: string;

afterEach(() => roost.close());

async function start(options: Parameters<typeof startRoost>[0] = {}): Promise<void> {
  roost = await startRoost(options);
  token = await roost.createSuperuser();
  root = new RecordApi(roost, token);
  await roost.createCollections(...COLLECTIONS);
  for (const n of [0, 1, 2]) {
    await root.make('tags', { id: id(`tag${n}`), label: `t${n}` });
    await root.make('people', { id: id(`person${n}`), email: `p${n}@example.com`, name: `p${n}`, ...PASSWORD });
    const tags = [id(`tag${n}`), id('tag0')];
    await root.make('notes', {
      id: id(`note${n}`),
      text: `n${n} and more`,
      secret: 's',
      author: id(`person${n}`),
      tags,
    });
  }
}

async function patch(url: string, body: unknown): Promise<void> {
  const { status, text } = await roost.inject({ method: 'PATCH', url, body, token });
  if (status >= 300) throw new Error(`${url}: ${text}`);
}

async function collectionOf(name: string): Promise<Json> {
  return (await roost.inject({ url: `/api/collections/${name}`, token })).body;
}

async function apply({ kind, which, value }: typeof change extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
  const text = `v${value}`;
  const flip = async (name: string, rule: string, one: string | null, other: string | null): Promise<void> =>
    patch(`/api/collections/${id(name)}`, { [rule]: (await collectionOf(id(name)))[rule] === one ? other : one });
  switch (kind) {
    case 'text':
    case 'secret':
      return void (await root.update('notes', id(`note${which}`), { [kind]: text }));
    case 'name':
      return void (await root.update('people', id(`person${which}`), { name: text }));
    case 'address shown or not':
      return void (await root.update('people', id(`person${which}`), { emailVisibility: value % 2 === 0 }));
    case 'label':
      return void (await root.update(id('tags'), id(`tag${which}`), { label: text }));
    case 'delete a tag':
      return void (await root.delete(id('tags'), id(`tag${which}`)));
    case 'who may see tags':
      return flip('tags', 'viewRule', ['@request.auth.id != ""', '@request.query.how = "manager"', null][which]!, '');
    case 'who manages people':
      return flip('people', 'manageRule', '@request.query.how = "manager"', null);
    case 'text hidden or not': {
      const { fields } = await collectionOf('notes');
      const text2 = fields.map((each: Json) => (each.id === 'notes_text' ? { ...each, hidden: !each.hidden } : each));
      return patch('/api/collections/notes', { fields: text2 });
    }
    case 'tags renamed': {
      const { name } = await collectionOf(id('tags'));
      return patch(`/api/collections/${id('tags')}`, { name: name === 'tags' ? 'labels' : 'tags' });
    }
  }
}

describe('answers to lists that many ask for', () => {
  it('SQL-2 RULE-1 JSON-6 are those of somebody who asks for the first time, for each caller after each change', async () => {
    await start();
    const accounts = await Promise.all(
      [0, 1].map(async (n) => {
        const body = { identity: `p${n}@example.com`, password: PASSWORD.password };
        return (await roost.inject({ method: 'POST', url: '/api/collections/people/auth-with-password', body })).body
          .token;
      }),
    );
    const callers = [undefined, ...accounts, token].map((each) => root.as(each));
    let asked = 0;
    type Pair = { readonly caller: RecordApi; readonly query: (typeof QUERIES)[number] };
    const ask = ({ caller, query: [collection, query] }: Pair, unequal: string) =>
      caller.list(collection, { ...query, filter: `id != "${unequal}"` });
    const expectSame = (again: TestResponse, first: TestResponse) => {
      expect([again.status, again.text]).toEqual([first.status, first.text]);
      expect(again.headers['content-type']).toBe(first.headers['content-type']);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        for (const each of changes) {
          await apply(each);
          const pairs = callers.flatMap((caller) => QUERIES.map((query) => ({ caller, query })));
          const firsts = new Map<object, TestResponse>();
          for (const pair of pairs) {
            // Nobody has asked like this before.
            firsts.set(pair, await ask(pair, `x${asked++}`));
            for (let time = 0; time < TIMES; time++) expectSame(await ask(pair, 'x'), firsts.get(pair)!);
          }
          // The other way round: who asks comes right behind somebody else who asked the same.
          for (const query of QUERIES) {
            for (const pair of pairs) if (pair.query === query) expectSame(await ask(pair, 'x'), firsts.get(pair)!);
          }
        }
      }),
      { numRuns: 6, examples: [[[{ kind: 'who may see tags', which: 1, value: 0 }]]] },
    );
  }, 120_000);

  it('JSON-6 do not show an address to the account of another collection that has the same id', async () => {
    await start();
    await roost.createCollections({ id: id('members'), name: 'members', type: 'auth' });
    await root.make('members', { email: 'same@example.com', ...PASSWORD });
    // The API does not let two accounts have one id; data that comes another way may.
    const update = `UPDATE members SET id = '${id('person0')}'`;
    expect((await roost.inject({ method: 'POST', url: '/api/sql', token, body: { query: update } })).status).toBe(200);
    const person = root.as(await roost.signIn('people', 'p0@example.com'));
    const member = root.as(await roost.signIn('members', 'same@example.com'));
    const query = { expand: 'author', sort: 'id' };
    for (let time = 0; time < TIMES; time++) {
      expect((await person.list('people', { sort: 'id' })).body.items[0].email).toBe('p0@example.com');
      expect((await person.list('notes', query)).body.items[0].expand.author.email).toBe('p0@example.com');
    }
    expect((await member.list('people', { sort: 'id' })).body.items[0]).not.toHaveProperty('email');
    expect((await member.list('notes', query)).body.items[0].expand.author).not.toHaveProperty('email');
  });

  it('SQL-2 JSON-5 hide a field that another process has hidden, although some asked before that was noticed', async () => {
    await start();
    const driver = sqliteDriver(process.env.DATABASE_DRIVER === 'sqlite3' ? 'sqlite3' : 'better-sqlite3');
    const other = new Database(new SqliteDialect({ file: join(roost.dir, 'data.db'), driver, queryTimeout: 30 }));
    const stored = await other.all<{ fields: string }>({
      sql: `SELECT fields FROM _collections WHERE name = 'notes'`,
      params: [],
    });
    const fields = (JSON.parse(stored[0]!.fields) as Json[]).map((each) =>
      each.name === 'text' ? { ...each, hidden: true } : each,
    );
    await other.run({
      sql: `UPDATE _collections SET fields = ? WHERE name = 'notes'`,
      params: [JSON.stringify(fields)],
    });
    await other.lifecycle.close();
    const guest = root.as(undefined);
    const showsText = async () => 'text' in (await guest.list('notes')).body.items[0];
    for (let time = 0; time < TIMES; time++) await showsText();
    await expect.poll(showsText, { timeout: 10_000 }).toBe(false);
  });

  it('are written anew where an interceptor or a hook of Fastify changes them', async () => {
    let count = 0;
    @Injectable()
    class Stamp implements NestInterceptor {
      intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
        const { url } = context.switchToHttp().getRequest<{ url: string }>();
        return next.handle().pipe(map((answer: Json) => this.stamp(answer, url)));
      }

      private stamp(answer: Json, url: string): Json {
        if (url.includes('in-place')) for (const item of answer.items) item.stamp = ++count;
        if (url.includes('more-items')) answer.items = [...answer.items, { id: ++count }];
        if (url.includes('another')) return { ...answer, stamp: ++count };
        if (url.includes('added')) answer.stamp = ++count;
        if (url.includes('counted')) answer.totalItems = ++count;
        if (url.includes('removed')) delete answer.totalPages;
        return answer;
      }
    }
    @Module({ providers: [{ provide: APP_INTERCEPTOR, useClass: Stamp }] })
    class Team {}
    await start({
      imports: [Team],
      configureApp: (app) => {
        app
          .getHttpAdapter()
          .getInstance()
          .addHook('preSerialization', async (request, _reply, payload: Json) => {
            if (request.url.includes('hooked')) payload.items[0].stamp = ++count;
            return request.url.includes('replaced') ? { stamp: ++count } : payload;
          });
      },
    });
    const plain = (await root.list('tags')).body;
    for (let time = 0; time < TIMES; time++) {
      const ask = async (how: string) => (await root.list('tags', { how })).body;
      expect(await ask('plain')).toEqual(plain);
      const stamps = (await ask('in-place')).items.map((item: Json) => item.stamp);
      expect(stamps).toEqual([count - 2, count - 1, count]);
      expect((await ask('more-items')).items.map((item: Json) => item.id)).toEqual([
        ...plain.items.map((item: Json) => item.id),
        count,
      ]);
      expect(await ask('another')).toEqual({ ...plain, stamp: count });
      expect(await ask('added')).toEqual({ ...plain, stamp: count });
      expect((await ask('counted')).totalItems).toBe(count);
      expect(await ask('removed')).not.toHaveProperty('totalPages');
      expect((await ask('hooked')).items[0].stamp).toBe(count);
      expect(await ask('replaced')).toEqual({ stamp: count });
    }
  });

  it('EXT-31 ask the hooks that enrich records each time', async () => {
    let count = 0;
    @Injectable()
    class Enrich {
      @EnrichRecord('tags')
      count({ output }: Json): void {
        output.count = ++count;
      }
    }
    @Module({ providers: [Enrich] })
    class Team {}
    await start({ imports: [Team] });
    for (let time = 0; time < TIMES; time++) {
      const before = count;
      const { body } = await root.list('tags', { sort: 'id' });
      expect(body.items.map((item: Json) => item.count)).toEqual([before + 1, before + 2, before + 3]);
      const notes = await root.list('notes', { sort: 'id', expand: 'tags' });
      expect(notes.body.items[0].expand.tags[0].count).toBeGreaterThan(before + 3);
    }
  });
});
