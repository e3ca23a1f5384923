import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppleNames } from '../../../src/auth/oauth2/apple-names.js';
import { SseHub } from '../../../src/sse/sse-hub.js';
import type { TestResponse, TestRoost } from '../../../src/testing/index.js';
import { startRoost } from '../../support/roost.js';
import { SseReader } from '../../support/sse-reader.js';

const SUCCESS = '../_/#/auth/oauth2-redirect-success';
const FAILURE = '../_/#/auth/oauth2-redirect-failure';

describe('where providers send browsers back to', () => {
  let roost: TestRoost;
  let port: number;
  let stream: SseReader;

  beforeAll(async () => {
    roost = await startRoost();
    port = Number(new URL(await roost.listen()).port);
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    stream = await SseReader.connect({ port });
    expect(await subscribe(['@oauth2', 'posts/*'])).toBe(204);
    return () => stream.socket.destroy();
  });

  it('AUTH-921 AUTH-922 AUTH-923 RT-93 the waiting client gets the code, the browser a page', async () => {
    const response = await arrive({ state: stream.clientId, code: 'the code' });
    expect([response.status, response.headers['location']]).toEqual([307, SUCCESS]);
    const [message] = await stream.receive(1);
    expect(message).toMatchObject({ event: '@oauth2' });
    expect(JSON.parse(message!.data)).toEqual({ state: stream.clientId, code: 'the code' });
  });

  it('RT-94 RT-95 AUTH-922 is told once', async () => {
    await arrive({ state: stream.clientId, code: 'one' });
    const second = await arrive({ state: stream.clientId, code: 'two' });
    expect(second.headers['location']).toBe(FAILURE);
    expect(await subscribe(['@oauth2'])).toBe(204);
    await arrive({ state: stream.clientId, code: 'three' });
    const messages = await stream.receive(2);
    expect(messages.map(({ data }) => (JSON.parse(data) as { code: string }).code)).toEqual(['one', 'three']);
  });

  it('AUTH-923 RT-93 RT-94 passes an error on, and shows the other page', async () => {
    const response = await arrive({ state: stream.clientId, error: 'access_denied' });
    expect([response.status, response.headers['location']]).toEqual([307, FAILURE]);
    const [message] = await stream.receive(1);
    expect(JSON.parse(message!.data)).toEqual({ state: stream.clientId, code: '', error: 'access_denied' });
    expect([...roost.app.get(SseHub, { strict: false }).find(stream.clientId)!.topics]).toEqual(['posts/*']);
    await subscribe(['@oauth2']);
    expect((await arrive({ state: stream.clientId })).headers['location']).toBe(FAILURE);
    expect(JSON.parse((await stream.receive(2))[1]!.data)).toEqual({ state: stream.clientId, code: '' });
  });

  it('AUTH-923 RT-94 tells nobody for an unknown state, another topic, or from another address', async () => {
    expect((await arrive({ code: 'x' })).headers['location']).toBe(FAILURE);
    expect((await arrive({ state: 'nobody', code: 'x' })).headers['location']).toBe(FAILURE);
    const elsewhere = await arrive({ state: stream.clientId, code: 'x' }, '10.0.0.9');
    expect(elsewhere.headers['location']).toBe(FAILURE);
    await subscribe(['posts/*']);
    expect((await arrive({ state: stream.clientId, code: 'x' })).headers['location']).toBe(FAILURE);
    await subscribe(['@oauth2']);
    await arrive({ state: stream.clientId, code: 'last' });
    expect(await stream.receive(1)).toMatchObject([{ data: expect.stringContaining('last') as string }]);
  });

  it('AUTH-922 AUTH-923 AUTH-925 takes forms and JSON, and remembers the name Apple posts', async () => {
    const names = roost.app.get(AppleNames, { strict: false });
    const user = JSON.stringify({ name: { firstName: 'Ann', lastName: 'Bo' } });
    const form = new URLSearchParams({ state: stream.clientId, code: '12345', user });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await roost.inject({
      url: '/api/oauth2-redirect',
      method: 'POST',
      body: form.toString(),
      headers,
    });
    expect([response.status, response.headers['location']]).toEqual([303, SUCCESS]);
    expect(JSON.parse((await stream.receive(1))[0]!.data)).toEqual({ state: stream.clientId, code: '12345' });
    expect(await names.take('12345')).toBe('Ann Bo');
    await subscribe(['@oauth2']);
    const json = await roost.inject({
      url: '/api/oauth2-redirect',
      body: { state: stream.clientId, code: 'json', user: JSON.parse(user) as object },
    });
    expect(json.status).toBe(303);
    expect(await names.take('json')).toBe('Ann Bo');
    const stranger = await roost.inject({
      url: '/api/oauth2-redirect',
      body: { state: 'nobody', code: 'nobodys', user },
    });
    expect(stranger.headers['location']).toBe(FAILURE);
    expect(await names.take('nobodys')).toBe('');
  });

  async function subscribe(subscriptions: string[]): Promise<number> {
    return (await roost.inject({ url: '/api/realtime', body: { clientId: stream.clientId, subscriptions } })).status;
  }

  function arrive(query: Record<string, string>, remoteAddress?: string): Promise<TestResponse> {
    return roost.inject({ url: `/api/oauth2-redirect?${new URLSearchParams(query)}`, remoteAddress });
  }
});
