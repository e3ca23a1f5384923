import { afterAll, beforeAll, expect, it } from 'vitest';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestRoost } from '../../src/testing/index.js';
import { startRoost } from '../support/roost.js';

const PASSWORD = 'correct horse';
const SIGN_IN = '/api/collections/users/auth-with-password';

let roost: TestRoost;
beforeAll(async () => {
  roost = await startRoost();
  await roost.app.get(RecordsService, { strict: false }).create('users', { email: 'ann@x.io', password: PASSWORD });
});
afterAll(() => roost.close());

it('OPS-33a no cache keeps tokens, or what is for somebody who is signed in', async () => {
  const body = { identity: 'ann@x.io', password: PASSWORD };
  const signedIn = await roost.inject({ method: 'POST', url: SIGN_IN, body });
  expect([signedIn.status, signedIn.headers['cache-control']]).toEqual([200, 'no-store']);
  const { token } = signedIn.body as { token: string };
  for (const [method, url] of [
    ['GET', '/api/collections/users/records'],
    ['POST', '/api/collections/users/auth-refresh'],
    ['POST', '/api/files/token'],
  ] as const) {
    const answer = await roost.inject({ method, url, token });
    expect([url, answer.status, answer.headers['cache-control']]).toEqual([url, 200, 'no-store']);
  }
  for (const url of ['/api/collections/users/auth-methods', '/api/setup', '/api/oauth2-redirect', '/api/realtime']) {
    const answer = await roost.inject({ method: url === '/api/realtime' ? 'HEAD' : 'GET', url });
    expect([url, answer.headers['cache-control']]).toEqual([url, 'no-store']);
  }
  const guest = await roost.inject({ url: '/api/health' });
  expect(guest.headers['cache-control']).toBeUndefined();
});

it('OPS-33a the address that providers send browsers back to goes nowhere else', async () => {
  const { headers } = await roost.inject({ url: '/api/oauth2-redirect?state=x&code=y' });
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
});
