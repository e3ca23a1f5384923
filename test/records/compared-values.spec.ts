import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { startRoost } from '../support/roost.js';

const PASSWORD = { password: '12345678', passwordConfirm: '12345678' };
const HERE = { lon: 23.23033854945808, lat: 42.713146090563384 };

/** What each database has in a form of its own: points, distances and lists. */
describe('values that are compared', () => {
  let roost: TestRoost;
  let token: string;
  let root: RecordApi;
  beforeAll(async () => {
    roost = await startRoost();
    token = await roost.createSuperuser();
    root = new RecordApi(roost, token);
    const roles = { name: 'roles', type: 'select', values: ['admin', 'user', 'guest'], maxSelect: 3 };
    const home = { name: 'home', type: 'geoPoint' };
    await roost.createCollections(
      { name: 'people', type: 'auth', fields: [roles, home] },
      {
        name: 'shops',
        type: 'base',
        fields: [
          { name: 'name', type: 'text' },
          { name: 'place', type: 'geoPoint' },
          { name: 'info', type: 'json' },
          { name: 'code', type: 'number' },
          { ...roles, maxSelect: 1 },
        ],
      },
    );
    await root.make('shops', { name: 'here', place: HERE, info: HERE, roles: 'admin', code: 9007199254740991 });
    await root.make('shops', { name: 'nowhere', place: { lon: 0, lat: 0 }, info: { lon: 'far', lat: 42 } });
    await root.make('people', { email: 'ann@example.com', ...PASSWORD, roles: ['admin', 'user'], home: HERE });
    await root.make('people', { email: 'bob@example.com', ...PASSWORD, roles: [] });
  });
  afterAll(() => roost.close());

  async function change(collection: string, body: object): Promise<void> {
    const answer = await roost.inject({ method: 'PATCH', url: `/api/collections/${collection}`, body, token });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
  }

  async function found(filter: string, by = token): Promise<string[]> {
    const url = `/api/collections/shops/records?sort=name&filter=${encodeURIComponent(filter)}`;
    const { status, body } = await roost.inject({ url, token: by });
    expect([filter, status]).toEqual([filter, 200]);
    return (body.items as { name: string }[]).map(({ name }) => name);
  }

  it.each([
    ['a path without a number', 'info.lon, info.lat', ['here'], ['nowhere']],
    ['a missing path', 'info.x, info.lat', [], ['here', 'nowhere']],
    ['a text', 'name, place.lat', [], ['here', 'nowhere']],
    ['a point', 'place.lon, place.lat', ['here'], []],
  ])('FN-1 SQL-7 the distance from %s', async (_, from, near, unknown) => {
    const distance = `geoDistance(${from}, ${HERE.lon}, ${HERE.lat})`;
    expect(await found(`${distance} < 1`)).toEqual(near);
    expect(await found(`${distance} = 0`)).toEqual(near);
    expect(await found(`${distance} = null`)).toEqual(unknown);
    expect(await found(`${distance} != null`)).toHaveLength(2 - unknown.length);
  });

  it('CMP-1 CMP-5 SQL-7 a whole point is its text, longitude first', async () => {
    expect(await found(`place = '{"lon":${HERE.lon},"lat":${HERE.lat}}'`)).toEqual(['here']);
    expect(await found(`place != '{"lon":0,"lat":0}'`)).toEqual(['here']);
    expect(await found(`place:lower = '{"lon":0,"lat":0}'`)).toEqual(['nowhere']);
    expect(await found(`place ~ '{"lon":0,'`)).toEqual(['nowhere']);
    expect(await found(`place = '{"lat":0,"lon":0}'`)).toEqual([]);
  });

  it('CMP-8 COL-54 SQL-7 a number of many digits is written with all of them where it is a text', async () => {
    expect(await found('code ~ 9007199254740991')).toEqual(['here']);
    expect(await found('code ~ "71992547"')).toEqual(['here']);
    expect(await found('code:lower = "9007199254740991"')).toEqual(['here']);
    expect(await found('code ~ "e"')).toEqual([]);
  });

  it('CMP-5 REF-10 SQL-7 a point of the account is compared with one of the record', async () => {
    await change('shops', { listRule: 'place = @request.auth.home' });
    expect(await found(`name != ''`, await roost.signIn('people', 'ann@example.com'))).toEqual(['here']);
    expect(await found(`name != ''`, await roost.signIn('people', 'bob@example.com'))).toEqual(['nowhere']);
  });

  it.each([
    ['the same point', { place: HERE }, 200],
    ['the same point, latitude first', { place: { lat: HERE.lat, lon: HERE.lon } }, 200],
    ['the same point as a text', { place: JSON.stringify(HERE) }, 200],
    ['another point', { place: { ...HERE, lat: 1 } }, 404],
    ['no point', { place: null }, 404],
  ])('REF-8 REF-10 SQL-7 :changed knows %s', async (_, body, status) => {
    await change('shops', { updateRule: '@request.body.place:changed = false' });
    const { id } = await root.make('shops', { place: HERE });
    expect((await roost.inject({ method: 'PATCH', url: `/api/collections/shops/records/${id}`, body })).status).toBe(
      status,
    );
    await roost.inject({ method: 'DELETE', url: `/api/collections/shops/records/${id}`, token });
  });

  describe('documents', () => {
    /** With keys, numbers and texts that PostgreSQL writes in another way. */
    const DOCUMENT = { zip: 'x', a: [{ long: 1e-7, b: true }, null], 'ä"\\': { big: 1e21, x: -0.5 }, to: 'ü\n💡' };
    const text = JSON.stringify(DOCUMENT);
    const changed = { ...DOCUMENT, zip: 'y' };
    const list = ['b', { z: 1, a: 2 }, 1.5];

    /** A filter's text in single quotes. */
    const quoted = (value: string) => `'${value.replaceAll("'", "\\'")}'`;

    beforeAll(async () => {
      await root.make('shops', { name: 'kept', info: DOCUMENT, place: HERE });
      await root.make('shops', { name: 'listed', info: list });
    });

    it('CMP-2 SQL-7 are found by their JSON as it was sent', async () => {
      expect(await found(`info = ${quoted(text)}`)).toEqual(['kept']);
      expect(await found(`info = ${quoted(JSON.stringify(list))}`)).toEqual(['listed']);
      expect(await found(`info != ${quoted(text)} && name ~ 'e' && name != 'here'`)).toEqual(['listed', 'nowhere']);
      expect(await found(`info = ${quoted(JSON.stringify(changed))}`)).toEqual([]);
      expect(await found(`info ?= ${quoted(text)}`)).toEqual(['kept']);
      expect(await found(`info.a = '[{"long":1e-7,"b":true},null]'`)).toEqual(['kept']);
      expect(await found(`info.1 = '{"z":1,"a":2}'`)).toEqual(['listed']);
      expect(await found(`info:each ?= '{"z":1,"a":2}'`)).toEqual(['listed']);
      expect(await found(`info >= ${quoted(text)} && info <= ${quoted(text)}`)).toEqual(['kept']);
    });

    it.each([
      ['other blanks', '{"z": 1,"a":2}'],
      ['no JSON', '{"z":1,"a":2'],
      ['a comma too many', '[1,]'],
      ['the character U+0000', '{"z":"\\u0000"}'],
      ['half a character', '{"z":"\\ud800"}'],
      ['a number that is none', '{"z":1e200000}'],
      ['many levels', `${'['.repeat(800)}${']'.repeat(800)}`],
    ])('CMP-2 SQL-7 are not found by one with %s', async (_, other) => {
      expect(await found(`info = ${quoted(other)}`)).toEqual([]);
      expect(await found(`info:each ?= ${quoted(other)}`)).toEqual([]);
    });

    it.each([
      ['as it was sent', { info: DOCUMENT }, 200],
      ['as a text', { info: text }, 200],
      ['with another value', { info: changed }, 404],
      ['as nothing', { info: null }, 404],
    ])('REF-8 SQL-7 :changed knows one %s', async (_, body, status) => {
      await change('shops', { updateRule: '@request.body.info:changed = false' });
      const { id } = await root.make('shops', { info: DOCUMENT });
      const answer = await roost.inject({ method: 'PATCH', url: `/api/collections/shops/records/${id}`, body });
      expect(answer.status).toBe(status);
      await roost.inject({ method: 'DELETE', url: `/api/collections/shops/records/${id}`, token });
    });

    it('OPS-39 one of many levels stops no filter', async () => {
      const url = '/api/collections/shops/records';
      const body = { name: 'deep', info: JSON.parse(`${'['.repeat(900)}${']'.repeat(900)}`) as unknown };
      const { status, body: made } = await roost.inject({ url, body, token });
      expect(status).toBe(200);
      for (const filter of ['info = "x"', 'info ~ "x"', 'info > "["', 'info:lower = "x"', 'info:each ?= "x"'])
        expect(await found(`name = 'deep' && ${filter}`)).toEqual(filter.includes('>') ? ['deep'] : []);
      await roost.inject({ method: 'DELETE', url: `${url}/${made.id}`, token });
    });

    it('REF-8 SQL-7 a create rule compares one with those that are stored', async () => {
      await change('shops', {
        createRule: '@collection.shops.info ?= @request.body.info && info = @request.body.info',
      });
      const make = (info: unknown) =>
        roost.inject({ url: '/api/collections/shops/records', body: { name: 'made', info } });
      expect((await make(changed)).status).toBe(400);
      const { status, body } = await make(DOCUMENT);
      expect(status).toBe(200);
      await roost.inject({ method: 'DELETE', url: `/api/collections/shops/records/${body.id}`, token });
    });
  });

  it.each([
    ['@request.auth.roles ?= "admin"', true, false],
    ['"user" ?= @request.auth.roles', true, false],
    ['@request.auth.roles ?= "admin" && @request.auth.roles ?= "user"', true, false],
    ['@request.auth.roles ?= "guest"', false, false],
    ['@request.auth.roles ?!= "admin"', true, false],
    ['@request.auth.roles ?= roles', true, false],
    ['@request.auth.roles ?= @request.body.roles', true, false],
    ['@request.auth.roles:each ?= "admin"', true, false],
  ])('MM-7 SQL-7 ?= asks for items of a list of the account: %s', async (createRule, ann, bob) => {
    await change('shops', { createRule });
    for (const [email, may] of [
      ['ann@example.com', ann],
      ['bob@example.com', bob],
    ] as const) {
      const { status, body } = await roost.inject({
        url: '/api/collections/shops/records',
        token: await roost.signIn('people', email),
        body: { roles: 'admin' },
      });
      expect([email, status]).toEqual([email, may ? 200 : 400]);
      if (may) await roost.inject({ method: 'DELETE', url: `/api/collections/shops/records/${body.id}`, token });
    }
  });

  it('MM-7 SQL-7 a list rule asks for items of a list of the account', async () => {
    await change('shops', { listRule: '@request.auth.roles ?= roles' });
    expect(await found(`name != ''`, await roost.signIn('people', 'ann@example.com'))).toEqual(['here']);
    expect(await found(`name != ''`, await roost.signIn('people', 'bob@example.com'))).toEqual([]);
  });
});
