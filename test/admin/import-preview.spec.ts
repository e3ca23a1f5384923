import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CollectionModel } from '../../src/admin/client/api/collection-model.js';
import { importChanges } from '../../src/admin/client/settings/import-changes.js';
import { propertyChanges } from '../../src/admin/client/settings/property-changes.js';
import type { CollectionBody } from '../../src/kernel/collections/collection-body.js';
import { modernCollection } from '../../src/kernel/collections/legacy-collection.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

type Json = Record<string, unknown>;

const times = [
  { id: 'autodate2990389176', name: 'created', type: 'autodate', system: false, onCreate: true, onUpdate: false },
  { id: 'autodate3332085495', name: 'updated', type: 'autodate', system: false, onCreate: true, onUpdate: true },
];
const id = { id: 'text3208210256', name: 'id', type: 'text', system: true, required: true, primaryKey: true };
const key = { ...id, min: 15, max: 15, pattern: '^[a-z0-9]+$', autogeneratePattern: '[a-z0-9]{15}' };

/** As PocketBase exports them: fields know no `help`, and `created` is no system field. */
const EXPORT: Json[] = [
  {
    id: '_pb_users_auth_',
    name: 'users',
    type: 'auth',
    listRule: '',
    passwordAuth: null,
    fields: [key, { id: 'users_name', name: 'name', type: 'text', max: 60, hidden: false }, ...times],
    indexes: [],
  },
  {
    id: 'pbc_1125843985',
    name: 'posts',
    type: 'base',
    fields: [
      key,
      { id: 'title', name: 'title', type: 'text', required: true, MaxLength: 5, unique: false },
      { id: 'views', name: 'views', type: 'number', min: null, max: null, onlyInt: false },
      { id: 'papers', name: 'papers', type: 'file', MaxSelect: 5, maxSize: null, thumbs: [], options: {} },
      ...times,
    ],
    indexes: ['CREATE INDEX `idx_title` ON `` (`title`)'],
    options: {},
  },
  { id: 'pbc_titles', name: 'titles', type: 'view', fields: [id], viewQuery: 'SELECT id, title FROM posts' },
];

/** As versions before 0.23 did. */
const OLD_EXPORT: Json[] = [
  {
    id: '_pb_users_auth_',
    name: 'users',
    type: 'auth',
    schema: [{ id: 'nick', name: 'nick', type: 'text', options: { min: null, max: 20, pattern: '' } }],
    options: { allowEmailAuth: true, allowUsernameAuth: true, minPasswordLength: 9, requireEmail: false },
  },
  {
    id: 'notes0000000000',
    name: 'notes',
    type: 'base',
    schema: [
      {
        id: 'owner',
        name: 'owner',
        type: 'relation',
        options: { collectionId: '_pb_users_auth_', cascadeDelete: true, minSelect: null, maxSelect: null },
      },
    ],
    indexes: ['CREATE INDEX `idx_owner` ON `notes` (`owner`)'],
    options: {},
  },
  {
    id: 'owners000000000',
    name: 'owners',
    type: 'view',
    schema: [],
    options: { query: 'SELECT id, owner FROM notes' },
  },
];

describe('UI-69 what the import screen says about an export of PocketBase', () => {
  let roost: TestRoost;
  let token: string;
  let first: CollectionModel[];
  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    first = await stored();
  });
  beforeEach(() => put(first, true));
  afterAll(() => roost.close());

  const stored = async (): Promise<CollectionModel[]> =>
    (await roost.inject({ url: '/api/collections?perPage=100', token })).body.items;
  const put = async (collections: readonly unknown[], deleteMissing: boolean) => {
    const body = { collections, deleteMissing };
    const { status, text } = await roost.inject({ method: 'PUT', url: '/api/collections/import', token, body });
    expect([status, text]).toEqual([204, '']);
  };
  /** As the screen reads the file. */
  const read = (entries: readonly Json[]) =>
    entries.map((entry) => modernCollection(entry as CollectionBody) as unknown as CollectionModel);
  const users = (list: readonly CollectionModel[]) => list.find(({ name }) => name === 'users')!;
  const cases = [EXPORT, OLD_EXPORT].flatMap((entries) => [
    { form: entries === EXPORT ? 'present' : 'old', entries, deleteMissing: true },
    { form: entries === EXPORT ? 'present' : 'old', entries, deleteMissing: false },
  ]);

  it.each(cases)('$form form, deleteMissing $deleteMissing: nothing changes the second time', async (given) => {
    const entries = read(given.entries);
    await put(entries, given.deleteMissing);
    expect(importChanges(await stored(), entries, given.deleteMissing)).toEqual([]);
  });

  it.each(cases)('$form form, deleteMissing $deleteMissing: says of users what comes of it', async (given) => {
    const entries = read(given.entries);
    const said = importChanges(first, entries, given.deleteMissing);
    const change = said.find((each) => each.kind === 'changed' && each.before.name === 'users');
    await put(entries, given.deleteMissing);
    const real = propertyChanges(users(first), users(await stored()));
    expect(real).not.toEqual([]);
    const told = change?.kind === 'changed' ? propertyChanges(change.before, change.after) : [];
    expect(told).toEqual(expect.arrayContaining(real));
    expect(told).toHaveLength(real.length);
  });

  it('a new query of a view is told under both its names', async () => {
    await put(EXPORT, true);
    const viewQuery = 'SELECT id, title AS heading FROM posts';
    const [change] = importChanges(await stored(), read([{ ...EXPORT[2], viewQuery }]), false);
    expect(change).toMatchObject({ kind: 'changed', after: { viewQuery, options: { query: viewQuery } } });
  });
});
