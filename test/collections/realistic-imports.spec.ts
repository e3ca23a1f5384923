import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { CollectionsApp } from './support/collections-app.js';
import { REALISTIC_SCHEMAS } from './support/realistic-schemas.js';
import { actualShape, expectedShape } from './support/table-shape.js';

type Json = Record<string, unknown>;
type SchemaName = keyof typeof REALISTIC_SCHEMAS;

describe('the schema of a whole application', () => {
  let app: CollectionsApp;
  let roost: TestRoost;
  let token: string;
  beforeAll(async () => {
    app = await CollectionsApp.start();
    roost = app.roost;
    token = await roost.createSuperuser();
  });
  afterAll(() => app.stop());

  const put = async (collections: readonly Json[], deleteMissing: boolean) => {
    const body = { collections, deleteMissing };
    const { status, text } = await roost.inject({ method: 'PUT', url: '/api/collections/import', token, body });
    expect([status, text]).toEqual([204, '']);
  };
  const own = () => app.collections.all().filter(({ system }) => !system);
  const names = () =>
    own()
      .map(({ name }) => name)
      .sort();
  const namesOf = (...schemas: SchemaName[]) =>
    schemas.flatMap((schema) => REALISTIC_SCHEMAS[schema].map(({ name }) => String(name))).sort();
  const timeless = () => app.exported().map(({ created: _created, updated: _updated, ...rest }) => rest);

  async function expectWhole(): Promise<void> {
    for (const collection of own()) {
      if (!collection.isView) {
        expect(await actualShape(app, collection.name)).toEqual(expectedShape(collection));
        for (const field of collection.fields) {
          if (field.type !== 'relation') continue;
          expect(app.collections.find(field.collectionId as string), `${collection.name}.${field.name}`).toBeDefined();
        }
      }
      const list = await roost.inject({ url: `/api/collections/${collection.name}/records?perPage=1`, token });
      expect([collection.name, list.status]).toEqual([collection.name, 200]);
    }
  }

  it.each(Object.keys(REALISTIC_SCHEMAS) as SchemaName[])(
    'COL-93 COL-98 of a %s is imported in one call, and a second time without a change',
    async (schema) => {
      const collections = REALISTIC_SCHEMAS[schema];
      expect(collections.length).toBeGreaterThanOrEqual(20);
      await put(collections, true);
      expect(names()).toEqual(namesOf(schema));
      await expectWhole();
      const before = timeless();
      for (const deleteMissing of [false, true]) {
        await put(collections, deleteMissing);
        expect(timeless()).toEqual(before);
      }
      await put(structuredClone(app.exported()), true);
      expect(timeless()).toEqual(before);
    },
  );

  it('COL-95 COL-96 are merged, and replace each other, with deleteMissing', async () => {
    await put(REALISTIC_SCHEMAS.school, true);
    await put(REALISTIC_SCHEMAS.marketplace, false);
    expect(names()).toEqual(namesOf('school', 'marketplace'));
    await expectWhole();
    await put(REALISTIC_SCHEMAS.school, true);
    expect(names()).toEqual(namesOf('school'));
    await put(REALISTIC_SCHEMAS.tracker, true);
    expect(names()).toEqual(namesOf('tracker'));
    const left = await app.sql<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite%'`,
    );
    expect(left.map(({ name }) => name).sort()).toEqual(namesOf('tracker'));
  });

  it('COL-4 COL-43 COL-113 COL-133 keeps what makes an application what it is', async () => {
    await put(REALISTIC_SCHEMAS.marketplace, true);
    const customers = app.collections.get('customers');
    expect(customers.auth).toMatchObject({
      authRule: 'verified = true',
      passwordAuth: { enabled: true, identityFields: ['email', 'phone'] },
      otp: { enabled: true, duration: 300, length: 6 },
      mfa: { enabled: true, rule: `language = 'de'` },
      authToken: { duration: 604800 },
    });
    expect(customers.indexes).toHaveLength(4);
    expect(customers.field('created')).toMatchObject({ system: true, onCreate: true, onUpdate: false });
    expect(app.collections.get('best_customers').fields.map(({ name, type }) => [name, type])).toEqual([
      ['id', 'text'],
      ['spent', 'json'],
      ['name', 'text'],
    ]);
    expect(app.collections.get('top_products').field('photos')).toMatchObject({ type: 'file', maxSelect: 20 });
    await put(REALISTIC_SCHEMAS.school, false);
    const people = app.collections.get('people');
    expect(people.auth).toMatchObject({
      authRule: 'verified = true',
      passwordAuth: { identityFields: ['email', 'username'] },
    });
    expect(people.field('password')).toMatchObject({ min: 10 });
    expect(people.field('guardians')).toMatchObject({ collectionId: people.id, maxSelect: 999 });
    expect(app.collections.get('teachers').auth).toMatchObject({
      passwordAuth: { identityFields: ['email'] },
      oauth2: { enabled: true },
    });
    expect(app.collections.get('lessons').field('hour')).toMatchObject({ onlyInt: true });
  });

  it('COL-95 COL-96 an export with less in it takes away no more than it leaves out', async () => {
    await put(REALISTIC_SCHEMAS.marketplace, true);
    await app.sql(`INSERT INTO brands (id, name) VALUES ('b1', 'Acme')`);
    const less = REALISTIC_SCHEMAS.marketplace
      .filter(({ name }) => name !== 'wishlists' && name !== 'best_customers')
      .map((collection) =>
        collection.name === 'brands'
          ? { ...collection, fields: (collection.fields as Json[]).filter(({ name }) => name !== 'logo') }
          : collection,
      );
    await put(less, false);
    expect(names()).toEqual(namesOf('marketplace'));
    expect(app.collections.get('brands').field('logo')).toBeDefined();
    await put(less, true);
    expect(names()).toEqual(namesOf('marketplace').filter((name) => name !== 'wishlists' && name !== 'best_customers'));
    expect(app.collections.get('brands').field('logo')).toBeUndefined();
    expect(await app.sql('SELECT name FROM brands')).toEqual([{ name: 'Acme' }]);
  });
});
