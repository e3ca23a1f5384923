import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { CompactSign, UnsecuredJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { TOKEN_OPTIONS, type TokenType } from '../../src/tokens/token-claims.js';
import { TokensService } from '../../src/tokens/tokens.service.js';
import { accounts, memberOf } from './support/members.js';

const TYPES = Object.keys(TOKEN_OPTIONS) as TokenType[];
const START = Date.UTC(2026, 0, 1, 12, 0, 0, 500);

describe('tokens', () => {
  const clock = { time: START, now: () => clock.time };
  let tokens: TokensService;

  beforeEach(() => {
    clock.time = START;
    tokens = new TokensService(clock);
  });

  it('AUTH-301 AUTH-302 are JWTs signed with HS256 by the token key and the secret of their type', async () => {
    const member = memberOf(accounts());
    for (const type of TYPES) {
      const [header, payload, signature] = (await tokens.issue(member, type)).split('.') as [string, string, string];
      expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"HS256","typ":"JWT"}');
      const secret = member.collection.auth![TOKEN_OPTIONS[type]].secret;
      const key = `${member.get('tokenKey') as string}${secret}`;
      expect(signature).toBe(createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url'));
    }
  });

  it('AUTH-303 carry the claims of their type and no others, and whole seconds', async () => {
    const member = memberOf(accounts(), { email: 'ann@x.io' });
    const common = { collectionId: 'pbc_members', id: member.id };
    const now = Math.floor(START / 1000);
    expect(await claimsOf('auth', { refreshable: true })).toEqual({
      ...common,
      type: 'auth',
      exp: now + 432000,
      refreshable: true,
    });
    expect(await claimsOf('auth', { duration: 60 })).toEqual({
      ...common,
      type: 'auth',
      exp: now + 60,
      refreshable: false,
    });
    expect(await claimsOf('file')).toEqual({ ...common, type: 'file', exp: now + 180 });
    expect(await claimsOf('verification')).toEqual({
      ...common,
      type: 'verification',
      exp: now + 86400,
      email: 'ann@x.io',
    });
    expect(await claimsOf('passwordReset')).toEqual({
      ...common,
      type: 'passwordReset',
      exp: now + 1800,
      email: 'ann@x.io',
    });
    expect(await claimsOf('emailChange', { newEmail: 'b@x.io' })).toEqual({
      ...common,
      type: 'emailChange',
      exp: now + 1800,
      email: 'ann@x.io',
      newEmail: 'b@x.io',
    });

    async function claimsOf(type: TokenType, options = {}): Promise<unknown> {
      const [, payload] = (await tokens.issue(member, type, options)).split('.');
      return JSON.parse(Buffer.from(payload!, 'base64url').toString());
    }
  });

  it('AUTH-304 are good for their own type, record and collection only', async () => {
    const collection = accounts();
    const member = memberOf(collection);
    const twin = memberOf(accounts({ id: 'pbc_others' }), { id: member.id });
    for (const issued of TYPES) {
      const token = await tokens.issue(member, issued);
      for (const expected of TYPES) {
        expect(!!(await tokens.verify(token, expected, member))).toBe(issued === expected);
      }
      expect(await tokens.verify(token, issued, memberOf(collection, { id: 'somebodyelse000' }))).toBeUndefined();
      expect(await tokens.verify(token, issued, twin)).toBeUndefined();
    }
  });

  it('AUTH-304 AUTH-1702 hold until exp and not a millisecond longer, however often they were verified', async () => {
    const member = memberOf(accounts());
    const token = await tokens.issue(member, 'auth', { duration: 10 });
    const exp = (Math.floor(START / 1000) + 10) * 1000;
    expect(await tokens.verify(token, 'auth', member)).toMatchObject({ id: member.id });
    clock.time = exp - 1;
    expect(await tokens.verify(token, 'auth', member)).toBeDefined();
    expect(tokens.parseUnverified(token)).toBeDefined();
    clock.time = exp;
    expect(await tokens.verify(token, 'auth', member)).toBeUndefined();
    expect(tokens.parseUnverified(token)).toBeUndefined();
  });

  it('AUTH-302 AUTH-308 die with the token key and with the secret of the collection, also when remembered', async () => {
    const member = memberOf(accounts());
    const token = await tokens.issue(member, 'auth');
    expect(await tokens.verify(token, 'auth', member)).toBeDefined();
    const rotated = memberOf(accounts(), { id: member.id, tokenKey: 'r'.repeat(50) });
    expect(await tokens.verify(token, 'auth', rotated)).toBeUndefined();
    const resecreted = memberOf(accounts({ secret: 'other' }), { id: member.id });
    expect(await tokens.verify(token, 'auth', resecreted)).toBeUndefined();
    expect(await tokens.verify(token, 'auth', member)).toBeDefined();
  });

  it('AUTH-304 refuses a record without a token key and one of another type of collection', async () => {
    const keyless = memberOf(accounts(), { tokenKey: '' });
    await expect(tokens.issue(keyless, 'auth')).rejects.toThrow();
    const secret = keyless.collection.auth!.authToken.secret;
    const forged = await sign({ id: keyless.id, collectionId: 'pbc_members', type: 'auth', exp: 9e9 }, secret);
    expect(await tokens.verify(forged, 'auth', keyless)).toBeUndefined();
    await expect(tokens.issue(memberOf(accounts({ type: 'base' })), 'auth')).rejects.toThrow();
  });

  it('AUTH-304 refuses every algorithm but HS256', async () => {
    const member = memberOf(accounts());
    const claims = { id: member.id, collectionId: 'pbc_members', type: 'auth', exp: 9e9 };
    const key = `${member.get('tokenKey') as string}${member.collection.auth!.authToken.secret}`;
    expect(await tokens.verify(await sign(claims, key), 'auth', member)).toBeDefined();
    for (const alg of ['HS384', 'HS512']) {
      expect(await tokens.verify(await sign(claims, key, alg), 'auth', member)).toBeUndefined();
    }
    const unsecured = new UnsecuredJWT(claims).encode();
    expect(await tokens.verify(unsecured, 'auth', member)).toBeUndefined();
    expect(await tokens.verify(`${unsecured}AAAA`, 'auth', member)).toBeUndefined();
  });

  it.each([
    ['as here', { alg: 'HS256', typ: 'JWT' }],
    ['the other way round', { typ: 'JWT', alg: 'HS256' }],
    ['without a type', { alg: 'HS256' }],
  ])('AUTH-304 takes a header written %s, under the right key only', async (_, header) => {
    const member = memberOf(accounts());
    const claims = JSON.stringify({ id: member.id, collectionId: 'pbc_members', type: 'auth', exp: 9e9 });
    const key = `${member.get('tokenKey') as string}${member.collection.auth!.authToken.secret}`;
    const signed = (by: string) =>
      new CompactSign(Buffer.from(claims)).setProtectedHeader(header).sign(Buffer.from(by));
    expect(await tokens.verify(await signed(`${key}x`), 'auth', member)).toBeUndefined();
    expect(await tokens.verify(await signed(key), 'auth', member)).toMatchObject({ id: member.id });
  });

  it.each([
    ['no exp', { exp: undefined }],
    ['exp as text', { exp: '9000000000' }],
    ['exp past', { exp: START / 1000 - 1 }],
    ['nbf ahead', { nbf: START / 1000 + 1 }],
    ['iat ahead', { iat: START / 1000 + 1 }],
    ['iat as text', { iat: 'now' }],
    ['no id', { id: '' }],
    ['id as number', { id: 7 }],
    ['no collection', { collectionId: undefined }],
    ['no type', { type: undefined }],
    ['unknown type', { type: 'toString' }],
  ])('AUTH-304 refuses claims with %s although the signature is right', async (_, wrong) => {
    const member = memberOf(accounts());
    const key = `${member.get('tokenKey') as string}${member.collection.auth!.authToken.secret}`;
    const right = { id: member.id, collectionId: 'pbc_members', type: 'auth', exp: 9e9, nbf: 1, iat: 1 };
    expect(await tokens.verify(await sign(right, key), 'auth', member)).toBeDefined();
    expect(await tokens.verify(await sign({ ...right, ...wrong }, key), 'auth', member)).toBeUndefined();
  });

  it('AUTH-304 takes claims that hold from this very moment on', async () => {
    const member = memberOf(accounts());
    const key = `${member.get('tokenKey') as string}${member.collection.auth!.authToken.secret}`;
    const claims = { id: member.id, collectionId: 'pbc_members', type: 'auth', exp: 9e9 };
    for (const now of [{ iat: START / 1000 }, { nbf: START / 1000 }]) {
      expect(await tokens.verify(await sign({ ...claims, ...now }, key), 'auth', member)).toBeDefined();
    }
  });

  it('AUTH-305 a missing or odd refreshable means not refreshable', async () => {
    const member = memberOf(accounts());
    const key = `${member.get('tokenKey') as string}${member.collection.auth!.authToken.secret}`;
    for (const refreshable of [undefined, 'true', 1, null]) {
      const claims = { id: member.id, collectionId: 'pbc_members', type: 'auth', exp: 9e9, refreshable };
      expect((await tokens.verify(await sign(claims, key), 'auth', member))!.refreshable).toBe(false);
    }
  });

  it('AUTH-301 AUTH-304 takes a token in one spelling only', async () => {
    const member = memberOf(accounts());
    const token = await tokens.issue(member, 'auth');
    const [body, signature] = [token.slice(0, -43), token.slice(-43)];
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const others = [
      ...[...alphabet].map((last) => token.slice(0, -1) + last).filter((other) => other !== token),
      `${token}=`,
      `${token} `,
      body + Buffer.from(signature, 'base64url').toString('base64'),
    ];
    for (const other of others) expect(await tokens.verify(other, 'auth', member), other).toBeUndefined();
    expect(await tokens.verify(token, 'auth', member)).toBeDefined();
  });

  it('AUTH-202 reads any text at all without throwing', async () => {
    const member = memberOf(accounts());
    const token = await tokens.issue(member, 'auth');
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.base64String(), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.')),
      fc.tuple(fc.nat(token.length - 1), fc.constantFrom('A', 'z', '.', '=', '\0')).map(([at, character]) => {
        return token.slice(0, at) + character + token.slice(at + 1);
      }),
      fc.constantFrom('', '.', '..', '...', 'a.b.c', `${token}.`, `${token}.${token}`, 'x'.repeat(100_000)),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        tokens.parseUnverified(text);
        const good = await tokens.verify(text, 'auth', member);
        expect(good !== undefined).toBe(text === token);
      }),
      { numRuns: 300 },
    );
  });
});

function sign(claims: object, key: string, alg = 'HS256'): Promise<string> {
  const payload = JSON.stringify(claims);
  return new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg, typ: 'JWT' }).sign(Buffer.from(key));
}
