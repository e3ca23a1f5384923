import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { BadRequestError } from '../../src/kernel/errors/bad-request.error.js';
import {
  AfterSettingsUpdate,
  BeforeSettingsUpdate,
  type SettingsUpdatedEvent,
  type SettingsUpdateEvent,
} from '../../src/settings/settings.hooks.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import { SettingsStore } from '../../src/settings/settings-store.js';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

@Injectable()
class Watcher {
  refuse = false;
  readonly told: SettingsUpdatedEvent[] = [];

  @BeforeSettingsUpdate()
  before(_event: SettingsUpdateEvent): void {
    if (this.refuse) throw new BadRequestError('Not today.');
  }

  @AfterSettingsUpdate()
  after(event: SettingsUpdatedEvent): void {
    this.told.push(event);
  }
}

@Module({ providers: [Watcher] })
class WatcherModule {}

let roost: TestRoost;
let token: string;
let watcher: Watcher;

beforeAll(async () => {
  roost = await startRoost({ imports: [WatcherModule] });
  token = await roost.createSuperuser();
  watcher = roost.app.get(Watcher, { strict: false });
});
afterAll(() => roost.close());
beforeEach(async () => {
  await roost.app.get(SettingsService, { strict: false }).patch(DEFAULT_SETTINGS as never);
  watcher.told.length = 0;
});

const get = async () => (await roost.inject({ url: '/api/settings', token })).body;
const patch = (body: unknown) => roost.inject({ method: 'PATCH', url: '/api/settings', token, body });
const current = () => roost.app.get(SettingsService, { strict: false }).get();

function listOf<T>(length: number, item: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => item(index));
}

describe('settings', () => {
  it('SCALE-16 keep what each of fifty changes at the same moment', async () => {
    const changes = [
      { meta: { appName: 'Ours' } },
      { meta: { senderName: 'Us' } },
      { logs: { maxDays: 3 } },
      { logs: { logIP: false } },
      { batch: { enabled: true } },
      { batch: { maxRequests: 7 } },
      { batch: { timeout: 9 } },
      { smtp: { port: 2525 } },
      { smtp: { host: 'mail.example.com' } },
      { trustedProxy: { useLeftmostIP: true } },
    ];
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => patch(changes[index % 10])));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const settings = await get();
    for (const change of changes) expect(settings).toMatchObject(change);
  });

  it('OPS-1 OPS-2 are those of a new installation, without secrets', async () => {
    const { smtp, s3, backups, ...rest } = DEFAULT_SETTINGS;
    const { password: _password, ...shownSmtp } = smtp;
    const { secret: _secret, ...shownS3 } = s3;
    const expected = { ...rest, smtp: shownSmtp, s3: shownS3, backups: { ...backups, s3: shownS3 } };
    expect(await get()).toEqual(expected);
  });

  it('OPS-3 a change holds what it names and nothing else', async () => {
    const before = await get();
    const { status, body } = await patch({ meta: { appName: 'Other' }, unknown: 1, logs: { unknown: 2 } });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, meta: { ...before.meta, appName: 'Other' } });
    expect(await get()).toEqual(body);
    await patch({ superuserIPs: ['10.0.0.0/8', '127.0.0.1'] });
    expect((await patch({ superuserIPs: null, meta: { appName: null } })).body).toEqual(body);
    expect((await patch({})).body).toEqual(body);
    expect((await patch('')).status).toBe(200);
  });

  it('OPS-3 a key is found in another letter case too, as scripts for PocketBase write it', async () => {
    const { body } = await patch({ meta: { appUrl: 'https://app.example.com' }, RateLimits: { Rules: [] } });
    expect(body).toMatchObject({ meta: { appURL: 'https://app.example.com' }, rateLimits: { rules: [] } });
    const both = { appUrl: 'https://other.example.com', appURL: 'https://exact.example.com' };
    expect((await patch({ meta: both })).body.meta.appURL).toBe('https://exact.example.com');
  });

  it.each([
    { meta: 1 },
    { meta: { appName: 5 } },
    { smtp: { port: '25' } },
    { logs: { maxDays: 1.5 } },
    { trustedProxy: { headers: [5] } },
    { rateLimits: { rules: [{ label: '*:list', duration: 0.5, maxRequests: 10 }] } },
    { superuserIPs: 'x' },
    { superuserIPs: [1] },
  ])('OPS-3 answers 400 without data to a wrong type, %j', async (body) => {
    const before = await get();
    expect(await patch(body)).toMatchObject({ status: 400, body: { data: {} } });
    expect(await get()).toEqual(before);
  });

  it('OPS-39 takes lists of some length, and refuses longer ones before it looks at them', async () => {
    const lists = (more: number) => ({
      rateLimits: {
        rules: listOf(250 + more, (index) => ({ label: `/${index}`, audience: '', duration: 1, maxRequests: 1 })),
        excludedIPs: listOf(2000 + more, () => '10.0.0.1'),
      },
      trustedProxy: { headers: listOf(100 + more, (index) => `x-${index}`) },
      superuserIPs: listOf(2000 + more, () => '127.0.0.1'),
    });
    expect((await patch(lists(0))).status).toBe(200);
    const { status, body } = await patch(lists(1));
    expect(status).toBe(400);
    const tooLong = { code: 'validation_length_too_long' };
    expect(body.data).toMatchObject({
      rateLimits: { rules: tooLong, excludedIPs: tooLong },
      trustedProxy: { headers: tooLong },
      superuserIPs: tooLong,
    });
  });

  it('OPS-3 OPS-38 answers 400 to a number that is too large to be one, or for JSON to keep', async () => {
    const before = await get();
    const headers = { 'content-type': 'application/json' };
    const wrong = ['{"logs":{"maxDays":1e400}}', '{"rateLimits":{"rules":[{"label":"x","duration":-1e400}]}}'];
    for (const body of [...wrong, '{"batch":{"maxRequests":1e30}}', '{"logs":{"maxDays":9007199254740992}}']) {
      const answer = await roost.inject({ method: 'PATCH', url: '/api/settings', token, body, headers });
      expect(answer).toMatchObject({ status: 400, body: { data: {} } });
    }
    expect(await get()).toEqual(before);
  });

  it('OPS-3 answers 400 to malformed JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await roost.inject({ method: 'PATCH', url: '/api/settings', token, body: '{', headers });
    expect(answer).toMatchObject({ status: 400, body: { data: {} } });
  });

  it('OPS-2 OPS-4 secrets stay when they are not sent, are cleared by "", and are never shown', async () => {
    const secrets = {
      smtp: { password: 'planted' },
      s3: { secret: 'planted' },
      backups: { s3: { secret: 'planted' } },
    };
    expect((await patch(secrets)).text).not.toContain('planted');
    await patch(await get());
    const stored = current();
    expect([stored.smtp.password, stored.s3.secret, stored.backups.s3.secret]).toEqual(Array(3).fill('planted'));
    expect((await roost.inject({ url: '/api/settings', token })).text).not.toContain('planted');
    await patch({ smtp: { password: '' } });
    expect(current().smtp.password).toBe('');
  });

  it('OPS-2 tells superusers alone which secrets there are', async () => {
    await patch({ smtp: { password: '' }, s3: { secret: '' }, backups: { s3: { secret: 'planted' } } });
    const url = '/api/settings/secrets';
    expect((await roost.inject({ url })).status).toBe(401);
    expect((await roost.inject({ url, token })).body).toEqual({
      smtpPassword: false,
      s3Secret: false,
      backupsS3Secret: true,
    });
    await patch({ smtp: { password: 'planted' }, backups: { s3: { secret: '' } } });
    expect((await roost.inject({ url, token })).body).toMatchObject({ smtpPassword: true, backupsS3Secret: false });
    await patch({ smtp: { password: '' } });
  });

  it('OPS-5 everything wrong is named at once, and nothing is stored', async () => {
    const before = await get();
    const { status, body } = await patch({
      meta: { appName: '', appURL: 'not a url', senderAddress: 'nobody', accentColor: '#12345g' },
      logs: { maxDays: -1 },
      smtp: { enabled: true, host: '', port: 70000, authMethod: 'NTLM', localName: '-' },
      s3: { enabled: true, endpoint: '' },
      backups: { cron: '* * *', cronMaxKeep: 0 },
      rateLimits: {
        rules: [
          { label: '', audience: '', duration: 0, maxRequests: -1 },
          { label: 'a', audience: '', duration: 1, maxRequests: 1 },
          { label: 'a', audience: '@auth', duration: 1, maxRequests: 1 },
          { label: 'a b c', audience: '@all', duration: 1, maxRequests: 1 },
          { label: 'b', audience: '@guest', duration: 1, maxRequests: 1 },
          { label: 'b', audience: '@auth', duration: 1, maxRequests: 1 },
          { label: 'b', audience: '', duration: 1, maxRequests: 1 },
        ],
        excludedIPs: ['300.0.0.1'],
      },
      batch: { timeout: -1 },
      superuserIPs: ['10.0.0.0/33', ''],
    });
    expect(status).toBe(400);
    const codes = (value: unknown): unknown =>
      typeof value === 'object' && value !== null
        ? 'code' in value
          ? value.code
          : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, codes(each)]))
        : value;
    expect(codes(body.data)).toEqual({
      meta: {
        appName: 'validation_required',
        appURL: 'validation_is_url',
        senderAddress: 'validation_is_email',
        accentColor: 'validation_is_hex_color',
      },
      logs: { maxDays: 'validation_min_greater_equal_than_required' },
      smtp: {
        host: 'validation_required',
        port: 'validation_max_less_equal_than_required',
        authMethod: 'validation_in_invalid',
        localName: 'validation_is_host',
      },
      s3: {
        bucket: 'validation_required',
        region: 'validation_required',
        endpoint: 'validation_required',
        accessKey: 'validation_required',
        secret: 'validation_required',
      },
      backups: { cron: 'validation_invalid_cron', cronMaxKeep: 'validation_required' },
      rateLimits: {
        rules: {
          0: {
            label: 'validation_required',
            duration: 'validation_required',
            maxRequests: 'validation_min_greater_equal_than_required',
          },
          2: { label: 'validation_conflicting_rate_limit_rule' },
          3: { label: 'validation_match_invalid', audience: 'validation_in_invalid' },
          6: { label: 'validation_conflicting_rate_limit_rule' },
        },
        excludedIPs: { 0: 'validation_invlaid_ip_or_subnet' },
      },
      batch: { timeout: 'validation_min_greater_equal_than_required' },
      superuserIPs: { 0: 'validation_invlaid_ip_or_subnet', 1: 'validation_required' },
    });
    expect(await get()).toEqual(before);
    expect(watcher.told).toEqual([]);
  });

  const endpoint = { enabled: true, bucket: 'b', region: 'r', accessKey: 'a', secret: 's', endpoint: 'no url' };
  it.each([
    ['meta.appName', 'validation_length_out_of_range', { meta: { appName: 'x'.repeat(256) } }],
    ['meta.appURL', 'validation_required', { meta: { appURL: '' } }],
    ['meta.senderName', 'validation_required', { meta: { senderName: '' } }],
    ['meta.senderName', 'validation_length_out_of_range', { meta: { senderName: 'x'.repeat(256) } }],
    ['meta.senderAddress', 'validation_required', { meta: { senderAddress: '' } }],
    ['meta.accentColor', 'validation_length_invalid', { meta: { accentColor: '#123' } }],
    ['smtp.host', 'validation_is_host', { smtp: { enabled: true, host: 'a b' } }],
    ['smtp.port', 'validation_required', { smtp: { enabled: true, port: 0 } }],
    ['smtp.port', 'validation_min_greater_equal_than_required', { smtp: { port: -1 } }],
    ['s3.endpoint', 'validation_is_url', { s3: endpoint }],
    ['backups.s3.endpoint', 'validation_is_url', { backups: { s3: endpoint } }],
    [
      'backups.cronMaxKeep',
      'validation_min_greater_equal_than_required',
      { backups: { cron: '@daily', cronMaxKeep: -1 } },
    ],
    ['rateLimits.rules', 'validation_required', { rateLimits: { enabled: true, rules: [] } }],
    ['batch.maxRequests', 'validation_min_greater_equal_than_required', { batch: { maxRequests: -1 } }],
    ['batch.maxBodySize', 'validation_min_greater_equal_than_required', { batch: { maxBodySize: -1 } }],
  ])('OPS-5 refuses a wrong %s with %s', async (path, code, body) => {
    const answer = await patch(body);
    const found = path.split('.').reduce((tree, key) => tree[key], answer.body.data);
    expect([answer.status, found.code, JSON.stringify(answer.body.data).match(/"code"/g)]).toEqual([
      400,
      code,
      ['"code"'],
    ]);
  });

  it('OPS-5 takes what is just within its limits', async () => {
    const change = {
      meta: { appName: 'é'.repeat(255), appURL: 'example.com', senderName: 'x', accentColor: '' },
      smtp: { enabled: true, host: '127.0.0.1', port: 65535, localName: 'mail.example.com' },
      backups: { cron: '@daily', cronMaxKeep: 1 },
      trustedProxy: { headers: ['X-Real-IP', ' ', ''] },
      batch: { enabled: true, maxRequests: 0, timeout: 0, maxBodySize: 0 },
      superuserIPs: ['127.0.0.1', '::1', '10.0.0.0/8', '2001:db8::/32'],
    };
    const { status, body } = await patch(change);
    expect([status, body.data]).toEqual([200, undefined]);
    expect(body).toMatchObject({ ...change, trustedProxy: { headers: ['X-Real-IP'] } });
  });

  it('OPS-6 a change that is rolled back was never in force', async () => {
    const database = roost.app.get(Database, { strict: false });
    const seen: string[] = [];
    const failing = database.transaction(async () => {
      await roost.app.get(SettingsService, { strict: false }).patch({ meta: { appName: 'Undone' } });
      seen.push(current().meta.appName);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([...seen, current().meta.appName, (await get()).meta.appName]).toEqual(['Acme', 'Acme', 'Acme']);
    expect(watcher.told).toEqual([]);
  });

  it('OPS-6 hooks may refuse a change, and are told after it', async () => {
    watcher.refuse = true;
    expect((await patch({ meta: { appName: 'Refused' } })).status).toBe(400);
    watcher.refuse = false;
    expect((await get()).meta.appName).toBe('Acme');
    await patch({ meta: { appName: 'Hooked' } });
    expect(watcher.told.map(({ before, after }) => [before.meta.appName, after.meta.appName])).toEqual([
      ['Acme', 'Hooked'],
    ]);
  });

  it('OPS-6 are in force when the answer is there: superuser addresses and rate limits', async () => {
    await patch({ superuserIPs: ['127.0.0.1'] });
    const from = (remoteAddress: string) => roost.inject({ url: '/api/settings', token, remoteAddress });
    expect([(await from('10.1.1.1')).status, (await from('127.0.0.1')).status]).toEqual([403, 200]);
    await patch({ superuserIPs: [] });
    expect((await from('10.1.1.1')).status).toBe(200);
    const rules = [{ label: '/api/health', audience: '', duration: 60, maxRequests: 1 }];
    await patch({ rateLimits: { enabled: true, rules } });
    const health = async () => (await roost.inject({ url: '/api/health' })).status;
    expect([await health(), await health()]).toEqual([200, 429]);
    await patch({ meta: { appName: 'Counters start anew' } });
    expect([await health(), await health()]).toEqual([200, 429]);
    await patch({ rateLimits: { enabled: false } });
    expect(await health()).toBe(200);
  });

  it('OPS-7 rate limits follow a collection that is renamed, in the same transaction', async () => {
    await roost.createCollections({ name: 'before', type: 'base' });
    const rule = (label: string) => ({ label, audience: '', duration: 1, maxRequests: 1 });
    await patch({ rateLimits: { rules: ['before:create', 'after:create', 'other:list'].map(rule) } });
    const rename = (name: string) =>
      roost.inject({ method: 'PATCH', url: '/api/collections/before', token, body: { name } });
    const labels = async () => (await get()).rateLimits.rules.map(({ label }: { label: string }) => label);
    expect((await rename('not a name')).status).toBe(400);
    expect(await labels()).toEqual(['before:create', 'after:create', 'other:list']);
    expect((await rename('after')).status).toBe(200);
    expect(await labels()).toEqual(['after:create', 'other:list']);
  });

  it('OPS-9 are one row, made at the start; keys an older version did not know get their defaults', async () => {
    const database = roost.app.get(Database, { strict: false });
    const sql = `SELECT "value" FROM "_params" WHERE "id" = 'settings'`;
    expect(await database.all({ sql, params: [] })).toHaveLength(1);
    await database.run({ sql: 'DELETE FROM "_params"', params: [] });
    await roost.app.get(SettingsService, { strict: false }).load();
    expect(await database.all({ sql, params: [] })).toEqual([{ value: JSON.stringify(DEFAULT_SETTINGS) }]);
    const old = JSON.stringify({ meta: { appName: 'Old' } });
    await database.run({ sql: `UPDATE "_params" SET "value" = ? WHERE "id" = 'settings'`, params: [old] });
    const settings = roost.app.get(SettingsService, { strict: false });
    await settings.load();
    expect(settings.get()).toEqual({ ...DEFAULT_SETTINGS, meta: { ...DEFAULT_SETTINGS.meta, appName: 'Old' } });
    expect((await roost.inject({ method: 'DELETE', url: '/api/settings', token })).status).toBe(404);
  });

  it('are for superusers', async () => {
    expect((await roost.inject({ url: '/api/settings' })).status).toBe(401);
    expect((await roost.inject({ method: 'PATCH', url: '/api/settings', body: {} })).status).toBe(401);
  });

  it('SCALE-23 keeps a change that is committed here while those of another process are read', async () => {
    const settings = roost.app.get(SettingsService, { strict: false });
    const database = roost.app.get(Database, { strict: false });
    const changed = { sql: `UPDATE "_versions" SET "number" = "number" + 1 WHERE "table" = '_params'`, params: [] };
    await database.run({ ...changed, writes: [] });
    const store = roost.app.get(SettingsStore, { strict: false });
    const read = store.read.bind(store);
    const slow = vi.spyOn(store, 'read').mockImplementationOnce(async () => {
      const old = await read();
      await settings.patch({ meta: { appName: 'Mine' } });
      return { ...old, meta: { ...old.meta, appName: 'Theirs' } };
    });
    await database.changes.followDefinitions();
    expect(slow.mock.calls.length).toBeGreaterThan(1);
    expect(settings.get().meta.appName).toBe('Mine');
    slow.mockRestore();
  });
});
