import { exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { appleClientSecret } from '../../../src/auth/oauth2/apple-client-secret.js';
import { AppleNames } from '../../../src/auth/oauth2/apple-names.js';
import { MemoryEphemeralStore } from '../../../src/ephemeral/memory-ephemeral-store.js';
import { TestClock } from '../../../src/testing/test-clock.js';

describe('names from Apple', () => {
  let clock: TestClock;
  let names: AppleNames;
  beforeEach(() => {
    clock = new TestClock();
    clock.freeze();
    names = new AppleNames(new MemoryEphemeralStore(clock));
  });

  it('AUTH-925 are kept under the code for a minute and given out once', async () => {
    await names.remember('code-1', '{"name":{"firstName":" Ann ","lastName":"Bo "}}');
    await names.remember('code-2', { name: { firstName: 'Cy' } });
    expect(await names.take('code-1')).toBe('Ann  Bo');
    expect(await names.take('code-1')).toBe('');
    clock.advance(59_999);
    expect(await names.take('code-2')).toBe('Cy');
    await names.remember('code-3', { name: { lastName: 'Di' } });
    clock.advance(60_000);
    expect(await names.take('code-3')).toBe('');
  });

  it('AUTH-925 are cut at 150 characters and not kept for codes over 985', async () => {
    await names.remember('c'.repeat(985), { name: { firstName: '😀'.repeat(200) } });
    expect(await names.take('c'.repeat(985))).toBe('😀'.repeat(150));
    await names.remember('c'.repeat(986), { name: { firstName: 'Ann' } });
    expect(await names.take('c'.repeat(986))).toBe('');
  });

  it.each([
    undefined,
    null,
    '',
    'text',
    '{',
    '[]',
    '{"name":7}',
    '{"name":{"firstName":{}}}',
    '{"name":{"firstName":" "}}',
  ])('AUTH-925 takes no name out of %s', async (user) => {
    await names.remember('code-1', user);
    expect(await names.take('code-1')).toBe('');
  });
});

describe('the client secret for Apple', () => {
  const form = { clientId: 'com.example.app', teamId: 'TEAM567890', keyId: 'KEY4567890', duration: 3600 };

  it('AUTH-1009 is a JWT signed with the key of the team', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const now = Date.UTC(2026, 0, 1, 0, 0, 0, 999);
    const secret = await appleClientSecret({ ...form, privateKey: `\n${await exportPKCS8(privateKey)}\n` }, now);
    const { payload, protectedHeader } = await jwtVerify(secret, publicKey, { currentDate: new Date(now) });
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'KEY4567890' });
    const iat = Math.floor(now / 1000);
    expect(payload).toEqual({
      iss: 'TEAM567890',
      sub: 'com.example.app',
      aud: ['https://appleid.apple.com'],
      iat,
      exp: iat + 3600,
    });
  });

  it('AUTH-1009 cannot be made with a key of another kind', async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    await expect(appleClientSecret({ ...form, privateKey: await exportPKCS8(privateKey) }, 0)).rejects.toThrow();
    const broken = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----';
    await expect(appleClientSecret({ ...form, privateKey: broken }, 0)).rejects.toThrow();
  });
});
