import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

type Json = Readonly<Record<string, unknown>>;
type Body = Awaited<ReturnType<TestRoost['inject']>>['body'];
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Json }>> }>
  >;
}

const EVERYTHING = {
  name: 'everything',
  type: 'base',
  listRule: '',
  fields: [
    { name: 'title', type: 'text', required: true },
    { name: 'body', type: 'editor' },
    { name: 'amount', type: 'number' },
    { name: 'done', type: 'bool' },
    { name: 'mail', type: 'email' },
    { name: 'email', type: 'email' },
    { name: 'tokenKey', type: 'text' },
    { name: 'page', type: 'url' },
    { name: 'due', type: 'date' },
    { name: 'one', type: 'select', values: ['a', 'b'] },
    { name: 'must', type: 'select', values: ['a', 'b'], required: true },
    { name: 'several', type: 'select', values: ['a', 'b'], maxSelect: 2 },
    { name: 'friend', type: 'relation', collectionId: '_pb_users_auth_' },
    { name: 'friends', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 3 },
    { name: 'paper', type: 'file' },
    { name: 'papers', type: 'file', maxSelect: 3 },
    { name: 'data', type: 'json' },
    { name: 'place', type: 'geoPoint' },
    { name: 'secret', type: 'text', hidden: true },
    { name: 'pass', type: 'password' },
    { name: 'created', type: 'autodate', onCreate: true },
  ],
};

let roost: TestRoost;
let token: string;
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
let ajv: Ajv2020;

beforeAll(async () => {
  roost = await startRoost();
  token = await roost.createSuperuser('root@example.com', 'correct horse 1');
  await roost.createCollections(EVERYTHING, {
    name: 'titles',
    type: 'view',
    viewQuery: 'SELECT id, title, amount + 1 AS more FROM everything',
  });
  await read();
});
afterAll(() => roost.close());

/** Takes the document as it is now. What an object of it does not name is a mistake here. */
async function read(): Promise<void> {
  const { body } = await roost.inject({ url: '/api/openapi.json', token });
  ({ paths } = body as { paths: typeof paths });
  ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema({ $id: 'document', ...closed({ components: body.components }) });
}

function closed(value: unknown): Json {
  if (Array.isArray(value)) return value.map(closed) as unknown as Json;
  if (typeof value !== 'object' || value === null) return value as Json;
  const copy: Json = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]));
  const isObject = copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return isObject ? { ...copy, additionalProperties: false } : copy;
}

function operation(method: Method, url: string): Operation {
  const path = url.split('?')[0]!.split('/');
  const matches = Object.keys(paths).filter((pattern) => {
    const parts = pattern.split('/');
    return parts.length === path.length && parts.every((part, index) => part.startsWith('{') || part === path[index]);
  });
  // The one that names most of the path: those of a collection before those of any.
  const [best] = matches.toSorted((a, b) => a.split('{').length - b.split('{').length);
  return paths[best!]![method.toLowerCase()]!;
}

function problems(schema: Json, value: unknown): string[] {
  const text = JSON.stringify(closed(schema)).replaceAll('"#/components/', '"document#/components/');
  const validate = ajv.compile(JSON.parse(text) as Json);
  if (validate(value)) return [];
  return validate.errors!.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Asks, and compares what is sent and what is answered with the document. Gives the answer's body. */
async function ask(method: Method, url: string, body?: unknown, as = token): Promise<Body> {
  const { requestBody, responses } = operation(method, url);
  if (body !== undefined) expect(problems(requestBody!.content['application/json']!.schema, body)).toEqual([]);
  const answer = await roost.inject({ method, url, token: as, body });
  const described = responses[String(answer.status)] ?? responses['default']!;
  const schema = described.content?.['application/json']?.schema;
  if (schema === undefined) expect([answer.status, answer.text]).toEqual([expect.any(Number), '']);
  else
    expect({ [`${method} ${url} ${answer.status}`]: problems(schema, answer.body) }).toEqual({
      [`${method} ${url} ${answer.status}`]: [],
    });
  return answer.body;
}

const RECORDS = '/api/collections/everything/records';

describe('what the OpenAPI document says of answers', () => {
  it('EXT-25 is true of records, with every type of field', async () => {
    const ann = await ask('POST', '/api/collections/users/records', {
      email: 'ann@example.com',
      password: 'correct horse 1',
      passwordConfirm: 'correct horse 1',
      emailVisibility: false,
    });
    const full = await ask('POST', RECORDS, {
      title: 'All',
      body: '<p>Text</p>',
      amount: 1.5,
      done: true,
      mail: 'a@example.com',
      page: 'https://example.com',
      due: '2026-01-02 03:04:05.678Z',
      one: 'a',
      must: 'b',
      several: ['a', 'b'],
      friend: ann.id,
      friends: [ann.id],
      data: { any: ['thing', null] },
      place: { lon: 1, lat: 2 },
      secret: 'hidden',
      pass: 'correct horse 1',
    });
    const bare = await ask('POST', RECORDS, { title: 'Bare', must: 'a' });
    await ask('GET', `${RECORDS}/${bare.id}`);
    await ask('GET', `${RECORDS}/${full.id}?expand=friend,friends`);
    expect((await ask('GET', RECORDS)).items).toHaveLength(2);
    expect((await ask('GET', `${RECORDS}?skipTotal=1&page=2`, undefined, '')).items).toEqual([]);
    await ask('PATCH', `${RECORDS}/${bare.id}`, { 'amount+': 2, 'several+': 'a', 'friends-': ann.id, data: null });
    await ask('PUT', RECORDS, { id: bare.id, title: 'Put' });
    await ask('GET', '/api/collections/titles/records');
    await ask('POST', RECORDS, { title: '' });
    await ask('GET', `${RECORDS}/nothing`);
    await ask('PATCH', '/api/settings', { batch: { enabled: true } });
    const results = await ask('POST', '/api/batch', {
      requests: [
        { method: 'POST', url: RECORDS, body: { title: 'Batched', must: 'a' } },
        { method: 'DELETE', url: `${RECORDS}/${bare.id}` },
      ],
    });
    expect(results).toHaveLength(2);
    await ask('DELETE', `${RECORDS}/${full.id}`);
    await ask('DELETE', '/api/collections/everything/truncate');
  });

  it('EXT-25 is true of accounts', async () => {
    const users = '/api/collections/users';
    const bob = await ask('POST', `${users}/records`, {
      email: 'bob@example.com',
      password: 'correct horse 1',
      passwordConfirm: 'correct horse 1',
    });
    const signedIn = await ask('POST', `${users}/auth-with-password`, {
      identity: 'bob@example.com',
      password: 'correct horse 1',
    });
    expect(signedIn.record.email).toBe('bob@example.com');
    await ask('POST', `${users}/auth-with-password`, { identity: 'bob@example.com', password: 'wrong' });
    await ask('POST', `${users}/auth-refresh`, undefined, signedIn.token);
    await ask('GET', `${users}/auth-methods`);
    await ask('PATCH', users, {
      otp: { enabled: true },
      oauth2: { enabled: true, providers: [{ name: 'google', clientId: 'a', clientSecret: 'b' }] },
    });
    expect((await ask('GET', `${users}/auth-methods`)).oauth2.providers).toHaveLength(1);
    await ask('POST', `${users}/request-otp`, { email: 'bob@example.com' });
    await ask('GET', '/api/collections/_otps/records');
    await ask('POST', `${users}/request-verification`, { email: 'bob@example.com' });
    await ask('POST', `${users}/impersonate/${bob.id}`, { duration: 60 });
    await ask('GET', '/api/collections/_superusers/records');
    await ask('POST', '/api/files/token');
    await ask('POST', `${users}/revoke-tokens`, undefined, signedIn.token);
  });

  it('EXT-25 is true of collections', async () => {
    for (const type of ['base', 'auth']) {
      const made = await ask('POST', '/api/collections', {
        name: `made_${type}`,
        type,
        fields: [{ name: 'word', type: 'text', max: 5 }],
        indexes: [],
      });
      await ask('PATCH', `/api/collections/${made.id}`, { listRule: '', fields: made.fields });
      await ask('DELETE', `/api/collections/made_${type}`);
    }
    await ask('GET', '/api/collections?perPage=50');
    for (const name of ['everything', 'titles', 'users', '_superusers']) await ask('GET', `/api/collections/${name}`);
    await ask('GET', '/api/collections/meta/scaffolds');
    await ask('GET', '/api/collections/meta/oauth2-providers');
    await ask('POST', '/api/collections/meta/dry-run-view', { query: 'SELECT id FROM users' });
    await ask('PUT', '/api/collections/import', { collections: [{ name: 'imported', type: 'base' }] });
    await ask('POST', '/api/collections', { name: '' });
  });

  it('EXT-25 is true of everything else', async () => {
    const settings = await ask('GET', '/api/settings');
    await ask('PATCH', '/api/settings', { meta: { appName: settings.meta.appName } });
    await ask('PATCH', '/api/settings', { logs: { maxDays: -1 } });
    await ask('POST', '/api/settings/test/s3', { filesystem: 'storage' });
    await ask('GET', '/api/health');
    await ask('GET', '/api/health', undefined, '');
    const { items } = await ask('GET', '/api/logs?perPage=3');
    await ask('GET', `/api/logs/${items[0].id}`);
    await ask('GET', '/api/logs/stats');
    await ask('DELETE', '/api/logs');
    await ask('GET', '/api/crons');
    await ask('POST', '/api/backups', { name: 'made.zip' });
    expect(await ask('GET', '/api/backups')).toHaveLength(1);
    await ask('DELETE', '/api/backups/made.zip');
    await ask('POST', '/api/sql', { query: 'SELECT 1 AS one' });
    await ask('GET', '/api/setup');
    await ask('GET', '/api/settings', undefined, '');
  });
});
