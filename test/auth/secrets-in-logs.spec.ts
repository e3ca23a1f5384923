import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SseReader } from '../support/sse-reader.js';
import { type FakeProvider, startFakeProvider } from './support/fake-provider.js';
import { codeIn, MemberRoost, tokenIn } from './support/member-roost.js';

describe('what logs say about sign-ins', () => {
  let roost: MemberRoost;
  let fake: FakeProvider;
  beforeAll(async () => {
    // A provider that repeats everything it was sent in its refusal.
    fake = await startFakeProvider({
      '/token': ({ body, headers }) => ({
        status: 400,
        body: { error: `Refused: ${body} ${headers.authorization ?? ''}` },
      }),
    });
    const providers = [
      {
        name: 'oidc',
        clientId: 'c',
        clientSecret: 'client-secret-value',
        authURL: 'http://a',
        tokenURL: `${fake.url}/token`,
      },
    ];
    roost = await MemberRoost.start({ otp: { enabled: true }, oauth2: { enabled: true, providers } });
  });
  afterAll(async () => {
    await roost.close();
    await fake.close();
  });

  it('AUTH-1504 AUTH-504 AUTH-901 is no password, token, code or secret, whether a sign-in fails or not', async () => {
    await roost.addMember('ann@x.io', { password: 'her-secret-password' });
    const good = await roost.post('auth-with-password', { identity: 'ann@x.io', password: 'her-secret-password' });
    await roost.post('auth-with-password', { identity: 'ann@x.io', password: 'a-wrong-password' });
    const token = good.body.token as string;
    await roost.post('auth-refresh', undefined, { token });
    await roost.post('auth-refresh', undefined, { token: `Bearer ${token}x` });
    await roost.post('request-otp', { email: 'ann@x.io' });
    const otp = codeIn((await roost.mailsSent(1))[0]!);
    await roost.post('request-password-reset', { email: 'ann@x.io' });
    const reset = tokenIn((await roost.mailsSent(2))[1]!);
    await roost.post('confirm-password-reset', {
      token: reset,
      password: 'new-secret-password',
      passwordConfirm: 'other',
    });
    await roost.post('auth-with-oauth2', {
      provider: 'oidc',
      code: 'oauth2-code-value',
      codeVerifier: 'verifier-value',
    });
    await roost.get(`/api/oauth2-redirect?state=state-value&code=oauth2-code-value`);
    const { text, status } = await roost.get('/api/logs?perPage=500', await roost.superuser());
    expect(status).toBe(200);
    expect(text).toContain('auth-with-oauth2');
    const secrets = ['her-secret-password', 'a-wrong-password', token.split('.')[2]!, otp, reset.split('.')[2]!];
    secrets.push('new-secret-password', 'oauth2-code-value', 'verifier-value', 'client-secret-value', 'state-value');
    for (const secret of secrets) expect([secret, text.includes(secret)]).toEqual([secret, false]);
  });

  it('AUTH-924 is nothing about a redirect that succeeded', async () => {
    const port = Number(new URL(await roost.roost.listen()).port);
    const stream = await SseReader.connect({ port });
    const root = await roost.superuser();
    await roost.post('/api/realtime', { clientId: stream.clientId, subscriptions: ['@oauth2'] });
    await roost.roost.inject({ method: 'DELETE', url: '/api/logs', token: root });
    const arrival = await roost.get(`/api/oauth2-redirect?state=${stream.clientId}&code=x`);
    expect(arrival.status).toBeLessThan(400);
    stream.socket.destroy();
    const { text } = await roost.get('/api/logs?perPage=500', root);
    expect(text).not.toContain('oauth2-redirect');
  });
});
