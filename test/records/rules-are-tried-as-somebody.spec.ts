import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';

interface Answer {
  readonly join: string;
  readonly parts: readonly { readonly text: string; readonly problem?: string }[];
  readonly records: readonly { readonly id: string; readonly passes: boolean; readonly parts: readonly boolean[] }[];
}

describe('a rule that is tried as somebody', () => {
  let roost: TestRoost;
  let token: string;
  let ann: string;
  let bob: string;
  let ids: string[];

  const send = (body: object, collection = 'notes', as: string | undefined = token) =>
    roost.inject({ url: `/api/collections/${collection}/test-rule`, body, token: as });
  const tried = async (body: object, collection?: string) => {
    const answer = await send({ kind: 'list', ids, ...body }, collection);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Answer;
  };
  const create = async (collection: string, body: object) => {
    const answer = await roost.inject({ url: `/api/collections/${collection}/records`, body, token });
    expect(answer.status, answer.text).toBe(200);
    return (answer.body as { id: string }).id;
  };
  const passing = ({ records }: Answer) => records.map(({ passes }) => passes);

  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    await roost.createCollections(
      { name: 'people', type: 'auth', fields: [{ name: 'role', type: 'text' }] },
      {
        name: 'notes',
        type: 'base',
        // What is stored does not matter.
        listRule: null,
        fields: [
          { name: 'owner', type: 'text' },
          { name: 'open', type: 'bool' },
          { name: 'count', type: 'number' },
          { name: 'secret', type: 'text', hidden: true },
        ],
      },
      { name: 'note_list', type: 'view', viewQuery: 'SELECT id, owner, open FROM notes' },
    );
    const account = { password: 'ann-password', passwordConfirm: 'ann-password' };
    ann = await create('people', { email: 'ann@example.com', role: 'editor', ...account });
    bob = await create('people', { email: 'bob@example.com', role: 'reader', ...account });
    ids = [
      await create('notes', { owner: ann, open: true, count: 1 }),
      await create('notes', { owner: ann, open: false, count: 2 }),
      await create('notes', { owner: bob, open: true, count: 3 }),
    ];
  });
  afterAll(() => roost.close());

  it('UI-74 tells which records pass as an account, and which part refuses the others', async () => {
    const rule = 'owner = @request.auth.id && open = true';
    expect(await tried({ rule, accountCollection: 'people', account: ann })).toEqual({
      join: 'and',
      parts: [{ text: 'owner = @request.auth.id' }, { text: 'open = true' }],
      records: [
        { id: ids[0], passes: true, parts: [true, true] },
        { id: ids[1], passes: false, parts: [true, false] },
        { id: ids[2], passes: false, parts: [false, true] },
      ],
    });
    expect(passing(await tried({ rule, accountCollection: 'people', account: bob }))).toEqual([false, false, true]);
    expect(passing(await tried({ rule }))).toEqual([false, false, false]);
  });

  it('UI-74 judges the alternatives of ||, and one condition alone', async () => {
    const either = await tried({ rule: 'count > 2 || open = true' });
    expect(either).toMatchObject({ join: 'or', parts: [{ text: 'count > 2' }, { text: 'open = true' }] });
    expect(either.records.map(({ parts }) => parts)).toEqual([
      [false, true],
      [false, false],
      [true, true],
    ]);
    // Each once, however often it is named, in the order of the request.
    const twice = await tried({ rule: 'count > 2', ids: [ids[2], ids[0], ids[2]] });
    expect(twice.records.map(({ id }) => id)).toEqual([ids[2], ids[0]]);
    const one = await tried({ rule: 'count >= 2' });
    expect(one).toMatchObject({ join: '', parts: [{ text: 'count >= 2' }] });
    expect(passing(one)).toEqual([false, true, true]);
  });

  it('UI-74 lets everybody pass an empty rule, and a superuser every rule', async () => {
    const all = { join: '', parts: [], records: ids.map((id) => ({ id, passes: true, parts: [] })) };
    expect(await tried({ rule: '' })).toEqual(all);
    const [root] = (await roost.inject({ url: '/api/collections/_superusers/records', token })).body.items as {
      id: string;
    }[];
    expect(await tried({ rule: 'count > 100', accountCollection: '_superusers', account: root!.id })).toEqual(all);
  });

  it('UI-74 judges the record that a body would create, as rules see it', async () => {
    const rule = 'owner = @request.auth.id && @request.body.count < 10 && @request.method = "POST"';
    const as = { kind: 'create', rule, accountCollection: 'people', account: ann, ids: [] };
    expect((await tried({ ...as, body: { owner: ann, count: 9 } })).records).toEqual([
      { id: '', passes: true, parts: [true, true, true] },
    ]);
    expect((await tried({ ...as, body: { owner: bob, 'count+': 11 } })).records).toEqual([
      { id: '', passes: false, parts: [false, false, true] },
    ]);
    // What the account may not write is in neither.
    const hidden = { ...as, rule: '@request.body.secret:isset = false && secret = ""', body: { secret: 'x' } };
    expect((await tried(hidden)).records).toMatchObject([{ passes: true, parts: [true, true] }]);
    expect((await roost.inject({ url: '/api/collections/notes/records', token })).body.totalItems).toBe(3);
  });

  it('UI-74 judges an update by what is stored, with the body laid over it', async () => {
    const rule = 'count = 2 && @request.body.count = 5';
    const answer = await tried({ kind: 'update', rule, ids: [ids[1]], body: { 'count+': 3 } });
    expect(answer.records).toEqual([{ id: ids[1], passes: true, parts: [true, true] }]);
    const stored = await roost.inject({ url: `/api/collections/notes/records/${ids[1]}`, token });
    expect(stored.body).toMatchObject({ count: 2 });
  });

  it('UI-74 judges views and the rules of accounts, and leaves out records that are gone', async () => {
    expect(passing(await tried({ rule: 'open = true' }, 'note_list'))).toEqual([true, false, true]);
    const manage = { kind: 'manage', rule: '@request.auth.role = "editor"', ids: [bob, 'gone'] };
    expect(await tried({ ...manage, accountCollection: 'people', account: ann }, 'people')).toMatchObject({
      records: [{ id: bob, passes: true }],
    });
  });

  it('UI-74 tells what is wrong with a rule, an account or the form', async () => {
    expect(await send({ kind: 'list', rule: 'nothing = 1' })).toMatchObject({
      status: 400,
      body: { data: { rule: { code: 'validation_invalid_rule' } } },
    });
    expect(await send({ kind: 'list', rule: 'count =' })).toMatchObject({ status: 400, body: { data: { rule: {} } } });
    const wrong: [object, string][] = [
      [{ accountCollection: 'notes', account: ids[0] }, 'accountCollection'],
      [{ accountCollection: 'gone', account: ann }, 'accountCollection'],
      [{ accountCollection: 'people', account: 'gone' }, 'account'],
      [{ kind: 'other' }, 'kind'],
      [{ kind: '' }, 'kind'],
      [{ ids: Array.from({ length: 101 }, () => 'x') }, 'ids'],
    ];
    for (const [body, field] of wrong) {
      const answer = await send({ kind: 'list', rule: 'count > 0', ...body });
      expect([answer.status, Object.keys((answer.body as { data: object }).data)], field).toEqual([400, [field]]);
    }
    expect((await send({ kind: 'list', rule: 1 })).status).toBe(400);
    expect((await send({ kind: 'list', ids: [1] })).status).toBe(400);
    expect((await send({ kind: 'list', body: [] })).status).toBe(400);
  });

  it('UI-74 is for superusers alone, and for collections that there are', async () => {
    const body = { kind: 'list', rule: '' };
    expect((await send(body, 'notes', undefined)).status).toBe(200);
    const guest = await roost.inject({ url: '/api/collections/notes/test-rule', body });
    expect(guest.status).toBe(401);
    expect((await send(body, 'notes', await roost.signIn('people', 'ann@example.com'))).status).toBe(403);
    expect((await send(body, 'gone')).status).toBe(404);
  });
});
