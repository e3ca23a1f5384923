import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { DatabaseError } from '../../src/database/database.error.js';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';
import { watchReads } from '../support/watch-reads.js';

const PASSWORD = { password: '12345678', passwordConfirm: '12345678' };
const ACTIONS = ['list', 'view', 'create', 'update', 'delete'] as const;
type Rule = string | null;

const rules = (rule: Rule) => Object.fromEntries(ACTIONS.map((action) => [`${action}Rule`, rule]));
const OWNED = 'owner = @request.auth.id || published = true';
const BY_RULE: Readonly<Record<string, Rule>> = { locked: null, open: '', signed: '@request.auth.id != ""' };

describe('what rules mean', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let guest: RecordApi;
  let ann: RecordApi;
  let annId: string;

  const definition = (name: string) => roost.inject({ url: `/api/collections/${name}`, token: rootToken });
  const change = (name: string, body: object) =>
    roost.inject({ method: 'PATCH', url: `/api/collections/${name}`, token: rootToken, body });
  let rootToken: string;

  beforeAll(async () => {
    roost = await startRoost();
    rootToken = await roost.createSuperuser();
    root = new RecordApi(roost, rootToken);
    guest = root.as(undefined);
    await roost.createCollections(
      {
        id: 'rules_people_01',
        name: 'people',
        type: 'auth',
        ...rules(''),
        fields: [
          { name: 'name', type: 'text' },
          { name: 'role', type: 'text' },
        ],
      },
      ...Object.entries(BY_RULE).flatMap(([name, rule]) => [
        { name: `${name}_base`, type: 'base', ...rules(rule), fields: [{ name: 'text', type: 'text' }] },
        { name: `${name}_auth`, type: 'auth', ...rules(rule), fields: [{ name: 'text', type: 'text' }] },
      ]),
      {
        name: 'notes',
        type: 'base',
        ...rules(OWNED),
        fields: [
          { name: 'title', type: 'text' },
          { name: 'published', type: 'bool' },
          { name: 'owner', type: 'relation', collectionId: 'rules_people_01', maxSelect: 1 },
          { name: 'readers', type: 'relation', collectionId: 'rules_people_01', maxSelect: 9 },
        ],
      },
    );
    annId = (await root.make('people', { email: 'ann@example.com', ...PASSWORD })).id;
    ann = root.as(await roost.signIn('people', 'ann@example.com'));
  });

  afterAll(() => roost.close());

  /** What the five actions answer somebody, on a record that is there. */
  const statuses = async (api: RecordApi, name: string): Promise<number[]> => {
    const account = name.endsWith('_auth');
    const body = () => (account ? { email: `${Math.random()}@example.com`, ...PASSWORD } : {});
    const [toView, toDelete] = [await root.make(name, body()), await root.make(name, body())];
    const answers = [
      await api.list(name),
      await api.view(name, toView.id),
      await api.create(name, body()),
      await api.update(name, toView.id, { text: 'x' }),
      await api.delete(name, toDelete.id),
    ];
    return answers.map(({ status }) => status);
  };

  it.each(['base', 'auth'])('RULE-1 null is for superusers, empty for everyone: %s', async (type) => {
    const allowed = [200, 200, 200, 200, 204];
    const closed = [403, 403, 403, 403, 403];
    expect(await statuses(guest, `locked_${type}`)).toEqual(closed);
    expect(await statuses(ann, `locked_${type}`)).toEqual(closed);
    expect(await statuses(root, `locked_${type}`)).toEqual(allowed);
    expect(await statuses(guest, `open_${type}`)).toEqual(allowed);
    expect(await statuses(guest, `signed_${type}`)).toEqual([200, 404, 400, 404, 404]);
    expect(await statuses(ann, `signed_${type}`)).toEqual(allowed);
    expect(await statuses(root, `signed_${type}`)).toEqual(allowed);
  });

  it('RULE-3 a rule knows the method, which is GET for HEAD as well', async () => {
    const methods = { list: 'GET', view: 'GET', create: 'POST', update: 'PATCH', delete: 'DELETE' };
    const byMethod = Object.entries(methods).map(([action, method]) => [
      `${action}Rule`,
      `@request.method = '${method}'`,
    ]);
    const fields = [{ name: 'text', type: 'text' }];
    await roost.createCollections({ name: 'methods', type: 'base', ...Object.fromEntries(byMethod), fields });
    expect(await statuses(guest, 'methods')).toEqual([200, 200, 200, 200, 204]);
    const { id } = await root.make('methods', {});
    const url = `/api/collections/methods/records/${id}`;
    expect((await roost.inject({ method: 'HEAD', url })).status).toBe(200);
  });

  it('RULE-1 views have two rules, and only accounts have a manage and an auth rule', async () => {
    const query = 'SELECT id, title FROM notes';
    const view = (body: object) =>
      roost.inject({ url: '/api/collections', token: rootToken, body: { type: 'view', viewQuery: query, ...body } });
    const made = await view({ name: 'titles', listRule: '', viewRule: '' });
    expect(made.body).toMatchObject({
      listRule: '',
      viewRule: '',
      createRule: null,
      updateRule: null,
      deleteRule: null,
    });
    for (const rule of ['createRule', 'updateRule', 'deleteRule']) {
      expect((await view({ name: 'refused', listRule: '', [rule]: '' })).status).toBe(400);
    }
    expect((await definition('people')).body).toMatchObject({ manageRule: null, authRule: '' });
    for (const name of ['notes', 'titles']) {
      const { body } = await definition(name);
      expect(Object.keys(body).filter((key) => key === 'manageRule' || key === 'authRule')).toEqual([]);
    }
  });

  it('RULE-4 MM-8 a list shows what both the rule and the filter allow, whatever the filter says', async () => {
    const bob = await root.make('people', { email: 'bob@example.com', name: 'Bob', ...PASSWORD });
    await root.make('notes', { title: 'public', published: true, readers: [bob.id] });
    await root.make('notes', { title: 'mine', owner: annId });
    await root.make('notes', { title: 'foreign', owner: bob.id, readers: [annId, bob.id] });
    const titles = (filter: string, api = ann) => api.column('notes', 'title', { filter });
    expect(await titles('')).toEqual(['public', 'mine']);
    expect(await titles('title = "foreign" || title != ""')).toEqual(['public', 'mine']);
    expect(await titles('title = "foreign"')).toEqual([]);
    expect(await titles('readers.name ?= "Bob" || id != ""', guest)).toEqual(['public']);
    expect((await ann.list('notes', { filter: 'title != ""', perPage: '1' })).body.totalItems).toBe(2);
  });

  it('RULE-4 RULE-5 one record is judged as it is stored, at the moment of the request', async () => {
    const { id } = await root.make('notes', { title: 'moving', owner: annId });
    expect((await ann.view('notes', id)).status).toBe(200);
    expect((await guest.view('notes', id, { owner: '', published: 'true' })).status).toBe(404);
    expect((await guest.update('notes', id, { published: true })).status).toBe(404);
    await root.update('notes', id, { owner: '' });
    expect((await ann.view('notes', id)).status).toBe(404);
    expect((await ann.delete('notes', id)).status).toBe(404);
    await root.update('notes', id, { published: true });
    expect((await guest.delete('notes', id)).status).toBe(204);
  });

  it.each(['syntax', 'other'] as const)('REC-8 a rule denies when running it fails: %s', async (kind) => {
    const name = `failing_${kind}`;
    await roost.createCollections({ name, type: 'base', createRule: `@collection.people.role ?= ""` });
    expect((await ann.create(name, {})).status).toBe(200);
    watchReads(roost.app.get(Database, { strict: false }), (run, { sql }) => {
      if (sql.includes('"role"')) throw new DatabaseError(kind, 'it cannot be run');
      return run();
    });
    try {
      expect((await ann.create(name, {})).status).toBe(400);
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('RULE-6 a create rule takes nobody for verified, whatever is sent', async () => {
    const create = (api: RecordApi, email: string) =>
      api.create('people', { email: `${email}@example.com`, verified: true, ...PASSWORD });
    await change('people', { createRule: 'verified = false', manageRule: 'name != "x"' });
    expect((await create(guest, 'unverified1')).body.data.verified.code).toBe('validation_values_mismatch');
    expect((await create(ann, 'unverified2')).body.verified).toBe(true);
    await change('people', { createRule: 'verified = true' });
    expect((await create(ann, 'unverified3')).body).toMatchObject({ code: 400, data: {} });
    await change('people', { createRule: '', manageRule: null });
  });

  it('RULE-6 a create rule sees the id that was sent, else one that nobody can know', async () => {
    const known = 'knownrecord0001';
    await change('notes', { createRule: `id != '' && id != '${known}'` });
    const made = [await guest.create('notes', {}), await guest.create('notes', { id: 'otherrecord0001' })];
    expect(made.map(({ status }) => status)).toEqual([200, 200]);
    expect((await guest.create('notes', { id: known })).body).toMatchObject({ code: 400, data: {} });
    await change('notes', { createRule: OWNED });
  });

  it('RULE-9 RULE-10 nobody manages without a rule, and no guest with one', async () => {
    const { id } = await root.make('people', { email: 'eve@example.com', ...PASSWORD });
    const verify = async (api: RecordApi) => (await api.update('people', id, { verified: true })).status;
    const manages = async (api: RecordApi) => {
      const status = await verify(api);
      await root.update('people', id, { verified: false });
      return status === 200;
    };
    expect(await manages(ann)).toBe(false);
    expect(await manages(root)).toBe(true);
    expect((await change('people', { manageRule: 'id != ""' })).status).toBe(200);
    expect([await manages(guest), await manages(ann)]).toEqual([false, true]);
    const verified = { email: 'verified@example.com', verified: true, ...PASSWORD };
    expect((await guest.create('people', verified)).body.data.verified.code).toBe('validation_values_mismatch');
    expect((await guest.view('people', id)).body).not.toHaveProperty('email');
    expect((await ann.view('people', id)).body.email).toBe('eve@example.com');
    expect((await change('people', { manageRule: null })).status).toBe(200);
    expect(await manages(ann)).toBe(false);
  });

  it('RULE-9 a manage rule sees the record that would be, or the stored one and the new body', async () => {
    const manageRule = 'role = "trainee" && @request.body.name != "Mallory"';
    expect((await change('people', { manageRule })).status).toBe(200);
    let count = 0;
    const create = (body: object) =>
      ann.create('people', { email: `new${count++}@example.com`, verified: true, ...PASSWORD, ...body });
    expect((await create({ role: 'trainee' })).status).toBe(200);
    const refused = await create({ role: 'boss' });
    expect([refused.status, refused.body.data.verified.code]).toEqual([400, 'validation_values_mismatch']);
    expect((await create({ role: 'trainee', name: 'Mallory' })).status).toBe(400);
    const { id } = await root.make('people', { email: 'stored@example.com', role: 'boss', ...PASSWORD });
    expect((await ann.update('people', id, { role: 'trainee', verified: true })).status).toBe(400);
    await root.update('people', id, { role: 'trainee' });
    expect((await ann.update('people', id, { role: 'boss', name: 'Mallory', verified: true })).status).toBe(400);
    expect((await ann.update('people', id, { role: 'boss', verified: true })).status).toBe(200);
    await change('people', { manageRule: null });
  });
});
