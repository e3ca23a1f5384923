import { afterEach, describe, expect, it } from 'vitest';
import { TokenExchange, type TokenReply } from '../../../src/auth/oauth2/token-exchange.js';
import {
  type FakeAnswer,
  type FakeProvider,
  type ReceivedRequest,
  startFakeProvider,
} from '../support/fake-provider.js';
import { clientOf, GRANT } from '../support/oauth2-clients.js';

const NOW = Date.UTC(2026, 0, 1);

describe('the exchange of an authorization code', () => {
  let fake: FakeProvider;
  afterEach(() => fake.close());

  it('AUTH-902 posts the code, the redirect address and the verifier, and the credentials form-encoded as Basic', async () => {
    fake = await tokenEndpoint({ body: { access_token: 'token-1' } });
    await exchange({ clientId: 'my id:1', clientSecret: 'ü/&' });
    expect(fake.received).toHaveLength(1);
    const [request] = fake.received as [ReceivedRequest];
    expect(request).toMatchObject({ method: 'POST', path: '/token' });
    expect(request.headers['content-type']).toContain('application/x-www-form-urlencoded');
    expect(request.headers.accept).toBe('application/json');
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
      grant_type: 'authorization_code',
      code: GRANT.code,
      redirect_uri: GRANT.redirectURL,
      code_verifier: GRANT.codeVerifier,
    });
    expect(atob(request.headers.authorization!.replace('Basic ', ''))).toBe('my+id%3A1:%C3%BC%2F%26');
  });

  it('AUTH-902 leaves out an empty redirect address, and the verifier when PKCE is off', async () => {
    fake = await tokenEndpoint({ body: { access_token: 'token-1' } });
    await exchange({ pkce: false }, { ...GRANT, redirectURL: '' });
    expect(fake.received[0]!.body).toBe('grant_type=authorization_code&code=code-1');
  });

  it.each([
    ['401', { status: 401, body: { error: 'invalid_client' } }],
    ['400 with an error object', { status: 400, body: { error: { message: 'Missing client_id parameter.' } } }],
    ['200 with an error', { status: 200, body: { error: 'incorrect_client_credentials' } }],
    ['an HTML page', { status: 403, type: 'text/html', body: '<h1>Who are you?</h1>' }],
  ])('AUTH-902 moves the credentials to the body after %s, and remembers it', async (_, refusal: FakeAnswer) => {
    fake = await tokenEndpoint(({ headers }) => (headers.authorization ? refusal : { body: { access_token: 't' } }));
    const tokens = new TokenExchange({ now: () => NOW });
    for (const requests of [2, 3]) {
      await tokens.exchange(client(), GRANT, AbortSignal.timeout(5000));
      expect(fake.received).toHaveLength(requests);
      const form = new URLSearchParams(fake.received.at(-1)!.body);
      expect(form.get('client_id')).toBe('client-1');
      expect(form.get('client_secret')).toBe('secret-1');
      expect(fake.received.at(-1)!.headers.authorization).toBeUndefined();
    }
  });

  it('AUTH-902 does not remember a style that was refused, and does not ask twice about a bad code', async () => {
    fake = await tokenEndpoint({ status: 401, body: { error: 'invalid_client' } });
    const tokens = new TokenExchange({ now: () => NOW });
    for (const requests of [2, 4]) {
      await expect(tokens.exchange(client(), GRANT, AbortSignal.timeout(5000))).rejects.toThrow('invalid_client');
      expect(fake.received).toHaveLength(requests);
    }
    await fake.close();
    const answers: FakeAnswer[] = [{ body: {} }, { status: 401, body: { error: 'invalid_client' } }];
    fake = await tokenEndpoint(() => answers.shift() ?? { body: { access_token: 't' } });
    await expect(tokens.exchange(client(), GRANT, AbortSignal.timeout(5000))).rejects.toThrow(
      'without an access token',
    );
    await tokens.exchange(client(), GRANT, AbortSignal.timeout(5000));
    expect(fake.received.map(({ headers }) => headers.authorization !== undefined)).toEqual([true, true, false]);
    await fake.close();
    fake = await tokenEndpoint({ status: 400, body: { error: 'invalid_grant' } });
    await expect(exchange()).rejects.toThrow('invalid_grant');
    expect(fake.received).toHaveLength(1);
  });

  it.each([
    ['JSON', { body: { access_token: 't', expires_in: 60 } }],
    ['a numeric string', { body: { access_token: 't', expires_in: '60' } }],
    ['JSON that calls itself text', { type: 'text/plain', body: '{"access_token":"t","expires_in":60}' }],
    ['a form', { type: 'application/x-www-form-urlencoded', body: 'access_token=t&expires_in=60' }],
    ['a form that calls itself text', { type: 'text/plain', body: 'access_token=t&expires_in=60' }],
  ])('AUTH-902 reads a reply that is %s', async (_, answer) => {
    fake = await tokenEndpoint(answer);
    expect(await exchange()).toMatchObject({ accessToken: 't', tokenType: 'Bearer', expiry: NOW + 60_000 });
  });

  it('AUTH-902 spells Bearer as headers want it and keeps other token types', async () => {
    fake = await tokenEndpoint({ body: { access_token: 't', token_type: 'bearer', refresh_token: 'r' } });
    expect(await exchange()).toMatchObject({ tokenType: 'Bearer', refreshToken: 'r', expiry: undefined });
    await fake.close();
    fake = await tokenEndpoint({ body: { access_token: 't', token_type: 'token' } });
    expect(await exchange()).toMatchObject({ tokenType: 'token' });
  });

  it.each([
    ['no access token', { body: { token_type: 'bearer' } }],
    ['an access token that is no text', { body: { access_token: {} } }],
    ['a list', { body: '[1]' }],
    ['broken JSON', { body: '{"access_token":' }],
    ['nothing', { body: '' }],
    ['a redirect', { status: 302, body: { access_token: 't' } }],
    ['a server error', { status: 500, body: { access_token: 't' } }],
    ['more than 1 MiB', { body: { access_token: 't', filler: 'x'.repeat(1024 * 1024) } }],
  ])('AUTH-902 AUTH-1506 fails on %s', async (_, answer) => {
    fake = await tokenEndpoint(answer);
    await expect(exchange()).rejects.toThrow();
  });

  it.each([302, 307, 308])('AUTH-902 sends nothing on to where a %i leads', async (status) => {
    fake = await startFakeProvider({
      '/token': { status, location: '/elsewhere', body: '' },
      '/elsewhere': { body: { access_token: 't' } },
    });
    await expect(exchange()).rejects.toThrow(`The token endpoint refused: ${status}`);
    expect(fake.received.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  it('AUTH-902 fails when the provider does not answer in time', async () => {
    fake = await startFakeProvider({});
    const aborted = new TokenExchange({ now: () => NOW }).exchange(client(), GRANT, AbortSignal.abort());
    await expect(aborted).rejects.toThrow();
  });

  function tokenEndpoint(answer: FakeAnswer | ((request: ReceivedRequest) => FakeAnswer)): Promise<FakeProvider> {
    return startFakeProvider({ '/token': answer });
  }

  function client(config: Parameters<typeof clientOf>[1] = {}) {
    return clientOf('oidc', { tokenURL: `${fake.url}/token`, ...config });
  }

  function exchange(config: Parameters<typeof clientOf>[1] = {}, grant = GRANT): Promise<TokenReply> {
    return new TokenExchange({ now: () => NOW }).exchange(client(config), grant, AbortSignal.timeout(5000));
  }
});
