import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CollectionsApp } from './support/collections-app.js';
import { actualShape, expectedShape } from './support/table-shape.js';

const OWNER = `@request.auth.id != '' && recordRef = @request.auth.id && collectionRef = @request.auth.collectionId`;
const CLOSED = { listRule: null, viewRule: null, createRule: null, updateRule: null, deleteRule: null };

describe('a first start', () => {
  let app: CollectionsApp;
  beforeAll(async () => {
    app = await CollectionsApp.start();
  });
  afterAll(() => app.stop());

  it.each([
    ['_superusers', 'pbc_3142635823', [], {}],
    [
      '_externalAuths',
      'pbc_2281828961',
      ['provider', 'providerId'],
      { listRule: OWNER, viewRule: OWNER, deleteRule: OWNER },
    ],
    ['_mfas', 'pbc_2279338944', ['method'], { listRule: OWNER, viewRule: OWNER }],
    ['_otps', 'pbc_1638494021', ['password', 'sentTo'], { listRule: OWNER, viewRule: OWNER }],
    ['_authOrigins', 'pbc_4275539003', ['fingerprint'], { listRule: OWNER, viewRule: OWNER, deleteRule: OWNER }],
  ])('COL-150 AUTH-1401 OPS-180 brings %s', async (name, id, fields, rules) => {
    const collection = app.collections.get(name);
    expect(collection).toMatchObject({ id, system: true, ...CLOSED, ...rules });
    for (const field of fields) expect(collection.field(field)).toMatchObject({ system: true });
    for (const field of ['id', 'created', 'updated']) expect(collection.field(field)).toMatchObject({ system: true });
    expect(await actualShape(app, name)).toEqual(expectedShape(collection));
  });

  it('COL-150 protects the codes of _otps', () => {
    const otps = app.collections.get('_otps');
    expect(otps.field('password')).toMatchObject({ type: 'password', hidden: true, required: true, cost: 8 });
    expect(otps.field('sentTo')).toMatchObject({ hidden: true, required: false });
    expect(app.collections.get('_mfas').indexes[0]).toContain('idx_mfas_collectionRef_recordRef');
    const unique = [...app.collections.get('_externalAuths').indexes, ...app.collections.get('_authOrigins').indexes];
    expect(unique.every((sql) => sql.startsWith('CREATE UNIQUE INDEX'))).toBe(true);
    expect(unique).toHaveLength(3);
  });

  it('COL-151 AUTH-408 brings users, once', async () => {
    const users = app.collections.get('users');
    expect(users).toMatchObject({
      id: '_pb_users_auth_',
      system: false,
      createRule: '',
      listRule: 'id = @request.auth.id',
    });
    expect(users.field('name')).toMatchObject({ type: 'text', max: 255 });
    expect(users.field('avatar')).toMatchObject({ type: 'file', maxSelect: 1 });
    expect(users.auth!.oauth2.mappedFields).toMatchObject({ name: 'name', avatarURL: 'avatar' });
    expect(await actualShape(app, 'users')).toEqual(expectedShape(users));
    const dir = mkdtempSync(join(tmpdir(), 'roost-test-'));
    const first = await CollectionsApp.start({ dir });
    await first.collections.delete('users');
    await first.stop();
    const second = await CollectionsApp.start({ dir });
    expect(second.collections.find('users')).toBeUndefined();
    await second.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('COL-87 the definitions it brings are what saving them again would make of them', async () => {
    const before = app.exported();
    for (const { name } of app.collections.all()) await app.update(name, {});
    const timeless = (list: readonly Record<string, unknown>[]) => list.map(({ updated: _updated, ...rest }) => rest);
    expect(timeless(app.exported())).toEqual(timeless(before));
  });

  it('COL-90 a deleted auth collection takes along what signing in left', async () => {
    const members = await app.create({ name: 'members', type: 'auth' });
    for (const [table, columns] of [
      ['_externalAuths', 'provider, providerId'],
      ['_mfas', 'method'],
      ['_otps', 'sentTo'],
      ['_authOrigins', 'fingerprint'],
    ]) {
      const values = columns!.split(',').map(() => `'x'`);
      for (const owner of [members.id, 'another']) {
        await app.sql(
          `INSERT INTO ${table} (id, collectionRef, recordRef, ${columns}) VALUES ('${owner}', '${owner}', 'r', ${values.join(', ')})`,
        );
      }
    }
    await app.collections.delete('members');
    for (const table of ['_externalAuths', '_mfas', '_otps', '_authOrigins']) {
      expect(await app.sql(`SELECT collectionRef FROM ${table}`)).toEqual([{ collectionRef: 'another' }]);
    }
  });
});
