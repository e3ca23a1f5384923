import { describe, expect, it } from 'vitest';
import type { CollectionModel } from '../api/collection-model.js';
import { ruleWarnings, rulesOf } from './rule-warnings.js';

const collection = (change: object = {}) =>
  ({
    name: 'posts',
    type: 'base',
    listRule: null,
    viewRule: null,
    createRule: null,
    updateRule: null,
    deleteRule: null,
    fields: [
      { name: 'status', type: 'select', values: ['draft', 'live'], maxSelect: 1 },
      { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
      { name: 'title', type: 'text' },
      { name: 'owner', type: 'relation', maxSelect: 1 },
    ],
    ...change,
  }) as unknown as CollectionModel;
const users = collection({ name: 'users', type: 'auth', fields: [{ name: 'role', type: 'text' }] });
const messages = (change: object) =>
  ruleWarnings(collection(change), [collection(), users]).map(({ label, message }) => `${label}: ${message}`);

describe('rulesOf', () => {
  it.each([
    ['base', {}, ['List', 'View', 'Create', 'Update', 'Delete']],
    ['view', { type: 'view' }, ['List', 'View']],
    ['auth', { type: 'auth' }, ['List', 'View', 'Create', 'Update', 'Delete', 'Sign-in', 'Manage']],
    ['auth with MFA', { type: 'auth', mfa: { enabled: true, rule: '' } }, expect.arrayContaining(['MFA']) as string[]],
  ])('of a %s collection', (_what, change, labels) => {
    expect(rulesOf(collection(change)).map(({ label }) => label)).toEqual(labels);
  });
});

describe('ruleWarnings', () => {
  it.each([
    ['nothing where all is locked', {}],
    ['nothing of open reading', { listRule: '', viewRule: '' }],
    ['nothing of an account that is asked for', { updateRule: '@request.auth.id = owner && @request.auth.role = "a"' }],
    ['nothing of what accounts always have', { updateRule: '@request.auth.collectionName = "users"' }],
    ['nothing of back-relations of accounts', { updateRule: '@request.auth.posts_via_owner.id ?= id' }],
    ['nothing of two ways', { updateRule: 'status = "draft" || status = "live"' }],
    ['nothing of several values', { updateRule: 'tags = "a" && tags = "b"' }],
    ['nothing of an empty choice', { updateRule: 'status = ""' }],
    ['nothing of what cannot be read', { updateRule: 'status = ' }],
    ['nothing of a number and a text', { updateRule: 'title = 1 && title = "1"' }],
    ['nothing of what is always true', { updateRule: '1 = 1' }],
  ])('says %s', (_what, change) => {
    expect(messages(change)).toEqual([]);
  });

  it.each([
    ['open writing', { createRule: '', updateRule: '', deleteRule: '' }, /^Create: Everyone.*|Update.*|Delete/],
    ['open sign-up', { type: 'auth', createRule: '' }, /^Create: Everyone can make an account/],
    ['open accounts', { type: 'auth', manageRule: '' }, /^Manage: Everyone can take over/],
    ['a field that no account has', { listRule: '@request.auth.rolle = "a"' }, /^List: No account has a field "rolle"/],
    ['one within a call', { listRule: 'geoDistance(@request.auth.lon, 1, 2, 3) < 5' }, /"lon"/],
    ['two values of one thing', { updateRule: 'status = "draft" && (status = "live")' }, /never be true: status/],
    ['a guest who is signed in', { updateRule: '@request.auth.id = "" && @request.auth.id != null' }, /never be true/],
    ['a value that cannot be chosen', { listRule: 'status = "publshed"' }, /no value "publshed"/],
    ['what is never the same', { listRule: '1 = 2' }, /1 is never 2/],
    ['what is always the same', { listRule: 'true != true' }, /never be true/],
    ['all ways that are closed', { listRule: '1 = 2 || status = "x"' }, /never be true/],
    ['a rule of MFA', { type: 'auth', mfa: { enabled: true, rule: '@request.auth.x = 1' } }, /^MFA: No account/],
  ])('warns of %s', (_what, change, message) => {
    expect(messages(change)[0]).toMatch(message);
  });

  it('warns of each kind of open writing', () => {
    expect(messages({ createRule: '', updateRule: '', deleteRule: '' })).toHaveLength(3);
  });
});
