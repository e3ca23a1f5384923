import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { CollectionsService } from '../../src/collections/collections.service.js';
import { AuthRecords } from '../../src/records/auth-records.js';
import { TOKEN_OPTIONS, type TokenType } from '../../src/tokens/token-claims.js';
import { TokensService } from '../../src/tokens/tokens.service.js';
import { MemberRoost, PASSWORD } from './support/member-roost.js';

/** What is left of the tokens and rows of an account after a change. */
interface Remains {
  readonly tokens: boolean;
  readonly otps: boolean;
  readonly mfas: boolean;
  readonly origins: boolean;
  readonly links: boolean;
}

const EVERYTHING: Remains = { tokens: true, otps: true, mfas: true, origins: true, links: true };
const NOTHING: Remains = { tokens: false, otps: false, mfas: false, origins: false, links: false };
const TYPES = Object.keys(TOKEN_OPTIONS) as TokenType[];

describe('what a change of an account means', () => {
  let roost: MemberRoost;
  let root: string;
  let ann: RecordModel;
  let tokens: readonly [TokenType, string][];
  let count = 0;

  beforeAll(async () => {
    roost = await MemberRoost.start({ deleteRule: '' });
    root = await roost.superuser();
    await roost.roost.inject({
      method: 'PATCH',
      url: '/api/settings',
      token: root,
      body: { batch: { enabled: true } },
    });
  });
  afterAll(() => roost.close());
  beforeEach(() => prepare(true));

  const CHANGES: readonly (readonly [string, Record<string, unknown>, Partial<Remains>])[] = [
    ['a new password', { password: 'another horse' }, { tokens: false, otps: false, mfas: false, origins: false }],
    ['the same password', { password: PASSWORD }, { tokens: false, otps: false, mfas: false, origins: false }],
    ['another email', { email: 'changed' }, { tokens: false, otps: false }],
    ['a rotated key', { 'tokenKey:autogenerate': '' }, { tokens: false, otps: false }],
    ['another name', { name: 'Anna' }, {}],
    ['nothing', {}, {}],
    ['verified again', { verified: true }, {}],
    ['unverified', { verified: false }, {}],
  ];

  describe.each(['the record API', 'a batch', 'a service'])('through %s', (path) => {
    it.each(CHANGES)('AUTH-307 AUTH-311 COL-153 %s', async (_, change, expected) => {
      await apply(path, change);
      expect(await remains()).toEqual({ ...EVERYTHING, ...expected });
    });

    it('AUTH-307 COL-153 verified for the first time with links: all tokens, one-time passwords and links go', async () => {
      await prepare(false);
      await apply(path, { verified: true });
      expect(await remains()).toEqual({ ...EVERYTHING, tokens: false, otps: false, links: false });
    });

    it('AUTH-307 verified for the first time without links: all stays', async () => {
      await prepare(false, false);
      await apply(path, { verified: true });
      expect(await remains()).toEqual({ ...EVERYTHING, links: false });
    });

    it('AUTH-307 AUTH-610 COL-153 REL-6 deleted: all goes', async () => {
      await remove(path);
      expect(await remains()).toEqual(NOTHING);
    });
  });

  it('AUTH-310 a key that is replaced in the same save is not rotated once more', async () => {
    const tokenKey = 'k'.repeat(50);
    await roost.records.update('members', ann.id, { tokenKey, password: 'another horse' });
    expect((await roost.member(ann.id)).get('tokenKey')).toBe(tokenKey);
  });

  it('AUTH-311 AUTH-607 the new key is shown to nobody', async () => {
    const url = `/api/collections/members/records/${ann.id}`;
    const body = { 'tokenKey:autogenerate': '' };
    const response = await roost.roost.inject({
      method: 'PATCH',
      url: `${url}?fields=*,tokenKey,password`,
      token: root,
      body,
    });
    expect(response.status).toBe(200);
    expect(response.body).not.toHaveProperty('tokenKey');
    expect(response.body).not.toHaveProperty('password');
  });

  it('AUTH-307 a change that is rolled back changes nothing', async () => {
    const failing = roost.records.transaction(async () => {
      await roost.records.update('members', ann.id, { password: 'another horse' });
      throw new Error('No.');
    });
    await expect(failing).rejects.toThrow('No.');
    expect(await remains()).toEqual(EVERYTHING);
  });

  it('AUTH-307 AUTH-610 COL-153 a deleted collection takes everything of its accounts along', async () => {
    await roost.roost.createCollections({ id: 'pbc_doomed_0001', name: 'doomed', type: 'auth' });
    const eve = await roost.records.create('doomed', { email: 'eve@x.io', password: PASSWORD });
    const token = await roost.roost.signIn('doomed', 'eve@x.io');
    await addRows(eve, true);
    await roost.roost.app.get(CollectionsService, { strict: false }).delete('doomed');
    for (const rows of ['_otps', '_mfas', '_authOrigins', '_externalAuths']) {
      expect(await roost.rowsOf(rows, eve)).toHaveLength(0);
    }
    const caller = await roost.get('/api/collections/_otps/records', token);
    expect(caller.body).toMatchObject({ totalItems: 0 });
    expect(await remains()).toEqual(EVERYTHING);
  });

  it('AUTH-611 changing one’s own password is answered with the record, and ends the session', async () => {
    const token = await roost.signIn(ann.get('email') as string);
    const url = `/api/collections/members/records/${ann.id}`;
    const body = { oldPassword: PASSWORD, password: 'another horse', passwordConfirm: 'another horse' };
    const response = await roost.roost.inject({ method: 'PATCH', url, token, body });
    expect(response.status).toBe(200);
    expect(response.body.id).toBe(ann.id);
    expect(await roost.isGood(token)).toBe(false);
  });

  async function prepare(verified: boolean, linked = true): Promise<void> {
    ann = await roost.addMember(`ann${++count}@x.io`, { verified });
    const issue = async (type: TokenType): Promise<[TokenType, string]> => {
      return [type, await roost.roost.app.get(TokensService, { strict: false }).issue(ann, type)];
    };
    tokens = await Promise.all(TYPES.map(issue));
    await addRows(ann, linked);
  }

  async function addRows(record: RecordModel, linked: boolean): Promise<void> {
    const reference = { collectionRef: record.collection.id, recordRef: record.id };
    await roost.records.create('_otps', { ...reference, password: '12345678' });
    await roost.records.create('_mfas', { ...reference, method: 'password' });
    await roost.records.create('_authOrigins', { ...reference, fingerprint: 'f' });
    if (linked) {
      await roost.records.create('_externalAuths', { ...reference, provider: 'oidc', providerId: record.id });
    }
  }

  async function remains(): Promise<Remains> {
    const authRecords = roost.roost.app.get(AuthRecords, { strict: false });
    const good = await Promise.all(tokens.map(([type, token]) => authRecords.findByToken(token, type)));
    expect(new Set(good.map((record) => record !== null)).size).toBe(1);
    const has = async (collection: string) => (await roost.rowsOf(collection, ann)).length > 0;
    return {
      tokens: good[0] !== null,
      otps: await has('_otps'),
      mfas: await has('_mfas'),
      origins: await has('_authOrigins'),
      links: await has('_externalAuths'),
    };
  }

  async function apply(path: string, wanted: Record<string, unknown>): Promise<void> {
    const change = 'email' in wanted ? { email: `changed${count}@x.io` } : wanted;
    const body = 'password' in change ? { ...change, passwordConfirm: change['password'] } : change;
    const url = `/api/collections/members/records/${ann.id}`;
    if (path === 'a service') await roost.records.update('members', ann.id, change);
    else if (path === 'a batch') await batch({ method: 'PATCH', url, body });
    else expect((await roost.roost.inject({ method: 'PATCH', url, token: root, body })).status).toBe(200);
  }

  async function remove(path: string): Promise<void> {
    const url = `/api/collections/members/records/${ann.id}`;
    if (path === 'a service') await roost.records.delete('members', ann.id);
    else if (path === 'a batch') await batch({ method: 'DELETE', url });
    else expect((await roost.roost.inject({ method: 'DELETE', url, token: root })).status).toBe(204);
  }

  async function batch(request: object): Promise<void> {
    const response = await roost.roost.inject({ url: '/api/batch', token: root, body: { requests: [request] } });
    expect(response.status).toBe(200);
  }
});
