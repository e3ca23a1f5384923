import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const RULES = [
  '$ ?= "admin"',
  '"admin" ?= $',
  '$ ?!= "admin"',
  '"admin" ?!= $',
  '$ ?= "admin" && $ ?= "user"',
  '$ ?= other',
  '$ ?!= other',
  '$ ~ "adm"',
  '$ !~ "adm"',
  '$ = "[\\"admin\\"]"',
  '$ != "[\\"admin\\"]"',
  '$:each = "admin"',
  '$:each ?= "admin"',
  '$:each ?!= "admin"',
  '$:length = 1',
  '$:length ?= 2',
];

const VALUES: readonly (readonly [string, object])[] = [
  ['one', { roles: ['admin'] }],
  ['another', { roles: ['user'] }],
  ['two', { roles: ['admin', 'user'] }],
  ['two, one of them twice', { roles: ['user', 'admin', 'user', ''] }],
  ['none', { roles: [] }],
  ['null', { roles: null }],
  ['an empty text', { roles: '' }],
  ['a text', { roles: 'admin' }],
  ['the text of a list', { roles: '["admin"]' }],
  ['appended', { 'roles+': 'admin' }],
  ['appended to others', { roles: ['user'], 'roles+': ['admin'] }],
  ['prepended', { '+roles': ['user', 'admin'] }],
  ['removed', { roles: ['user', 'admin'], 'roles-': 'admin' }],
];

describe('a rule on a multi-valued field that is submitted', () => {
  let roost: TestRoost;
  let root: string;
  beforeAll(async () => {
    roost = await startRoost();
    root = await roost.createSuperuser();
    const values = ['admin', 'user', 'guest'];
    await roost.createCollections({
      name: 'people',
      type: 'base',
      listRule: '',
      createRule: '',
      updateRule: '',
      fields: [
        { name: 'roles', type: 'select', values, maxSelect: 3 },
        { name: 'other', type: 'select', values, maxSelect: 1 },
      ],
    });
  });
  afterAll(() => roost.close());

  async function rule(rules: object): Promise<void> {
    const changed = await roost.inject({ method: 'PATCH', url: '/api/collections/people', token: root, body: rules });
    expect([changed.status, changed.text]).toEqual([200, changed.text]);
  }

  async function passes(body: object): Promise<boolean> {
    const { status } = await roost.inject({
      url: '/api/collections/people/records',
      body: { other: 'admin', ...body },
    });
    expect([200, 400]).toContain(status);
    return status === 200;
  }

  it.each(RULES)('MM-7 BODY-15 means the same on what arrives as on what is stored: %s', async (form) => {
    const answers: boolean[][] = [];
    for (const name of ['roles', '@request.body.roles']) {
      await rule({ createRule: form.replaceAll('$', name) });
      const passing: boolean[] = [];
      for (const [, body] of VALUES) passing.push(await passes(body));
      answers.push(passing);
    }
    const named = (passing: boolean[]) => VALUES.filter((_, at) => passing[at]).map(([what]) => what);
    expect(named(answers[1]!)).toEqual(named(answers[0]!));
  });

  it('MM-7 tells membership on create', async () => {
    await rule({ createRule: '@request.body.roles ?!= "admin"' });
    expect(await passes({ roles: ['admin'] })).toBe(false);
    expect(await passes({ roles: [] })).toBe(false);
    expect(await passes({})).toBe(false);
    expect(await passes({ roles: ['admin', 'user'] })).toBe(true);
  });

  it.each<[string, object, boolean]>([
    ['the same list', { roles: ['user'] }, false],
    ['the same value alone', { roles: 'user' }, false],
    ['the text of the same list', { roles: '["user"]' }, false],
    ['the same value appended', { 'roles+': 'user' }, false],
    ['a value removed that is not there', { 'roles-': 'admin' }, false],
    ['nothing of it', { other: 'user' }, false],
    ['another value', { roles: 'admin' }, true],
    ['a value appended', { 'roles+': 'admin' }, true],
    ['the value removed', { 'roles-': 'user' }, true],
    ['null', { roles: null }, true],
  ])('MM-7 tells whether a list changes: %s', async (_what, body, changes) => {
    const asRoot = { url: '/api/collections/people/records', token: root };
    const { id } = (await roost.inject({ ...asRoot, body: { roles: ['user'] } })).body;
    for (const operator of ['=', '?=', '!=', '?!=']) {
      await rule({ updateRule: `@request.body.roles:changed ${operator} true` });
      const { status } = await roost.inject({ method: 'PATCH', url: `/api/collections/people/records/${id}`, body });
      expect([operator, status]).toEqual([operator, changes === operator.endsWith('!=') ? 404 : 200]);
      await roost.inject({
        method: 'PATCH',
        url: `/api/collections/people/records/${id}`,
        token: root,
        body: { roles: ['user'] },
      });
    }
  });
});
