import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import { BeforeRealtimeSubscribe, type RealtimeSubscribeEvent } from '../../src/realtime/realtime.hooks.js';
import { RealtimeService } from '../../src/realtime/realtime.service.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRequest, TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';
import { Listener } from './listener.js';

let roost: TestRoost;

const checked: string[] = [];
/** What happens while the hook runs, by topic. */
const during = new Map<string, () => unknown>();

@Injectable()
class SubscribeHooks {
  @BeforeRealtimeSubscribe()
  async check(event: RealtimeSubscribeEvent): Promise<void> {
    checked.push(...event.topics);
    await during.get(event.topics[0]!)?.();
    if (event.topics.includes('refused')) throw new ForbiddenError('Not that one.');
    event.topics = event.topics.map((topic) => (topic === 'replace-me' ? 'replaced' : topic));
  }
}

@Module({ providers: [SubscribeHooks] })
class SubscribeModule {}

beforeAll(async () => {
  roost = await startRoost({ imports: [SubscribeModule] });
});
afterAll(() => roost.close());

const connect = () => Listener.connect(roost);

const post = (body: unknown, more: Partial<TestRequest> = {}) =>
  roost.inject({ method: 'POST', url: '/api/realtime', body, ...more });
const topicsOf = ({ id }: Listener) => [
  ...roost.app.get(RealtimeService, { strict: false }).clients.find((client) => client.id === id)!.topics,
];

describe('setting subscriptions', () => {
  it('RT-25 answers 204 with an empty body', async () => {
    const listener = await connect();
    const answer = await listener.subscribe(['a', 'b']);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(topicsOf(listener)).toEqual(['a', 'b']);
  });

  it.each(['{', '[]', '1', '"x"', 'true', '{} x'])('RT-25 refuses the body %s', async (text) => {
    const answer = await post(text, { headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ code: 400, message: expect.any(String), data: {} });
  });

  it('RT-25 RT-26 reports the field errors of one body together, in the common shape', async () => {
    const { id } = await connect();
    const required = { code: 'validation_required', message: expect.any(String) };
    expect((await post({})).body).toEqual({
      code: 400,
      message: expect.any(String),
      data: { clientId: required, subscriptions: required },
    });
    const many = Array.from({ length: 1001 }, (_, index) => `t${index}`);
    expect((await post({ clientId: id, subscriptions: many })).body).toMatchObject({
      code: 400,
      data: { subscriptions: { code: 'validation_length_too_long' } },
    });
    const long = await post({ clientId: id, subscriptions: ['x'.repeat(2500), 'x'.repeat(2501), 'a\nb'] });
    expect(long.body).toMatchObject({
      code: 400,
      data: {
        subscriptions: { 1: { code: 'validation_length_too_long' }, 2: { code: 'validation_match_invalid' } },
      },
    });
    expect(Object.keys(long.body.data.subscriptions)).toEqual(['1', '2']);
    expect((await post({ clientId: id, subscriptions: many.slice(1) })).status).toBe(204);
    expect((await post({ clientId: id, subscriptions: ['x'.repeat(2500)] })).status).toBe(204);
  });

  it('RT-25 RT-26 checks the fields, then the client, then the address', async () => {
    const { id } = await connect();
    const from = { remoteAddress: '10.9.8.7' };
    expect((await post({ clientId: 'nobody' }, from)).body.data).toHaveProperty('subscriptions');
    expect((await post({ clientId: 'nobody', subscriptions: [] }, from)).body).toEqual({
      code: 404,
      message: expect.any(String),
      data: {},
    });
    expect((await post({ clientId: id, subscriptions: [] }, from)).body).toEqual({
      code: 400,
      message: expect.any(String),
      data: {},
    });
  });

  it('RT-31 takes an IPv4 address mapped into IPv6 for the same', async () => {
    const listener = await connect();
    const answer = await listener.subscribe(['a'], undefined, { remoteAddress: '::ffff:127.0.0.1' });
    expect(answer.status).toBe(204);
  });

  it('RT-27 changes nothing when it fails', async () => {
    const listener = await connect();
    await listener.subscribe(['a', 'b']);
    for (const topics of [['c', 5], ['c', 'x'.repeat(2501)], ['refused']]) {
      expect((await post({ clientId: listener.id, subscriptions: topics })).status).toBeGreaterThanOrEqual(400);
    }
    expect((await listener.subscribe(['c'], undefined, { remoteAddress: '10.0.0.1' })).status).toBe(400);
    expect(topicsOf(listener)).toEqual(['a', 'b']);
  });

  it('RT-28 RT-29 replaces the whole set; an empty one leaves the stream open', async () => {
    const listener = await connect();
    await listener.subscribe(['a', 'b', 'b', '']);
    expect(topicsOf(listener)).toEqual(['a', 'b']);
    await listener.subscribe(['c', 'not/a/record?x']);
    expect(topicsOf(listener)).toEqual(['c', 'not/a/record?x']);
    await listener.subscribe([]);
    expect(topicsOf(listener)).toEqual([]);
    expect(await listener.settle()).toEqual([]);
  });

  it('RT-20 answers 404 once the stream has ended', async () => {
    const listener = await connect();
    listener.close();
    await expect.poll(async () => (await listener.subscribe(['a'])).status).toBe(404);
  });

  it('RT-25 RT-26 takes forms with repeated keys, and one without any for an empty list', async () => {
    const listener = await connect();
    const type = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const form = new URLSearchParams([
      ['clientId', listener.id],
      ['subscriptions', 'posts/*?filter=a=1&expand=b'],
      ['subscriptions', '12'],
    ]);
    expect((await post(form.toString(), type)).status).toBe(204);
    expect(topicsOf(listener)).toEqual(['posts/*?filter=a=1&expand=b', '12']);
    const multipart = new FormData();
    multipart.append('clientId', listener.id);
    multipart.append('subscriptions', 'one');
    expect((await post(multipart)).status).toBe(204);
    expect(topicsOf(listener)).toEqual(['one']);
    expect((await post(`clientId=${listener.id}`, type)).status).toBe(204);
    expect(topicsOf(listener)).toEqual([]);
  });

  it('RT-25 is limited like any other request', async () => {
    const { SettingsService } = await import('../../src/settings/settings.service.js');
    const settings = roost.app.get(SettingsService, { strict: false });
    const listener = await connect();
    const rules = [{ label: 'POST /api/realtime', audience: '', duration: 60, maxRequests: 1 }];
    await settings.patch({ rateLimits: { enabled: true, rules } });
    expect((await listener.subscribe(['a'])).status).toBe(204);
    expect((await listener.subscribe(['b'])).status).toBe(429);
    expect(topicsOf(listener)).toEqual(['a']);
    await settings.patch({ rateLimits: { enabled: false } });
  });

  it('EXT-31 BeforeRealtimeSubscribe may refuse or replace topics', async () => {
    const listener = await connect();
    expect((await listener.subscribe(['refused'])).body).toMatchObject({ code: 403, message: 'Not that one.' });
    await listener.subscribe(['replace-me']);
    expect(topicsOf(listener)).toEqual(['replaced']);
  });

  it('RT-33 is decided by the account of the moment, whatever happened while the request was dealt with', async () => {
    const records = roost.app.get(RecordsService, { strict: false });
    await roost.createCollections({ name: 'members', type: 'auth', fields: [] });
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map(async (name) => {
        const email = `${name}@example.com`;
        const { id } = await records.create('members', { email, password: '1234567890' });
        return { id, token: await roost.signIn('members', email) };
      }),
    );
    const listener = await connect();
    const statusOf = async (topic: string, token: string) => (await listener.subscribe([topic], token)).status;
    during.set('overtaken', () => listener.subscribe(['first'], bob!.token));
    expect(await statusOf('overtaken', ann!.token)).toBe(403);
    expect(topicsOf(listener)).toEqual(['first']);
    checked.length = 0;
    expect(await statusOf('refused before the hook', ann!.token)).toBe(403);
    expect(checked).toEqual([]);

    const other = await connect();
    during.set('ended', () => records.update('members', ann!.id, { 'tokenKey:autogenerate': '' }));
    expect((await other.subscribe(['ended'], ann!.token)).status).toBe(204);
    const client = roost.app.get(RealtimeService, { strict: false }).clients.find(({ id }) => id === other.id)!;
    expect(client.auth).toBeNull();
  });
});

it('RT-31 does not look at addresses when that is switched off', async () => {
  const open = await startRoost({ config: { ROOST_REALTIME_IP_CHECK: 'off' } });
  const listener = await Listener.connect(open);
  expect((await listener.subscribe(['a'], undefined, { remoteAddress: '10.0.0.1' })).status).toBe(204);
  listener.close();
  await open.close();
});
