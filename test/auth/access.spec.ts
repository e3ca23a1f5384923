import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PasswordValue } from '../../src/kernel/fields/password-value.js';
import { unknownHash } from '../../src/passwords/password-hasher.js';
import { MemberRoost, tokenIn } from './support/member-roost.js';

const FOR_SUPERUSERS = [
  ['GET', '/api/collections'],
  ['POST', '/api/collections'],
  ['PUT', '/api/collections/import'],
  ['GET', '/api/collections/members'],
  ['PATCH', '/api/collections/members'],
  ['DELETE', '/api/collections/members'],
  ['DELETE', '/api/collections/members/truncate'],
  ['GET', '/api/collections/meta/scaffolds'],
  ['GET', '/api/collections/meta/oauth2-providers'],
  ['GET', '/api/settings'],
  ['PATCH', '/api/settings'],
  ['POST', '/api/settings/test/email'],
  ['POST', '/api/settings/apple/generate-client-secret'],
  ['POST', '/api/settings/test/s3'],
  ['POST', '/api/collections/meta/dry-run-view'],
  ['POST', '/api/collections/members/impersonate/x'],
  ['GET', '/api/logs'],
  ['GET', '/api/logs/x'],
  ['GET', '/api/logs/stats'],
  ['DELETE', '/api/logs'],
  ['GET', '/api/backups'],
  ['POST', '/api/backups'],
  ['POST', '/api/backups/upload'],
  ['DELETE', '/api/backups/x.zip'],
  ['POST', '/api/backups/x.zip/restore'],
  ['GET', '/api/crons'],
  ['POST', '/api/crons/x'],
  ['POST', '/api/sql'],
  ['GET', '/api/openapi.json'],
] as const;

describe('who may do what', () => {
  let roost: MemberRoost;
  let ann: string;
  beforeAll(async () => {
    roost = await MemberRoost.start({
      listRule: 'name = "listed"',
      viewRule: 'name = "listed"',
      createRule: 'name = "new"',
    });
    await roost.addMember('ann@x.io');
    ann = await roost.signIn('ann@x.io');
  });
  afterAll(() => roost.close());

  it.each(FOR_SUPERUSERS)('AUTH-203 AUTH-204 AUTH-101 AUTH-205 %s %s is for superusers', async (method, url) => {
    const send = (token?: string) => roost.roost.inject({ method, url, token });
    for (const [token, status] of [
      [undefined, 401],
      ['rubbish', 401],
      [ann, 403],
    ] as const) {
      const response = await send(token);
      expect(response.status).toBe(status);
      expect(response.body).toEqual({ code: status, message: expect.any(String) as string, data: {} });
    }
  });

  it('AUTH-203 AUTH-205 a rule that does not hold looks as it should for everybody, and superusers skip it', async () => {
    const records = '/api/collections/members/records';
    const bob = await roost.addMember('bob@x.io');
    const root = await roost.superuser();
    const body = { email: 'new@x.io', password: 'long enough', passwordConfirm: 'long enough' };
    for (const token of [undefined, 'rubbish', ann]) {
      const list = await roost.get(records, token);
      expect([list.status, list.body.totalItems]).toEqual([200, 0]);
      expect((await roost.get(`${records}/${bob.id}`, token)).status).toBe(404);
      expect((await roost.roost.inject({ url: records, token, body })).status).toBe(400);
      const patch = { method: 'PATCH', url: `${records}/${bob.id}`, token, body: {} } as const;
      expect((await roost.roost.inject(patch)).status).toBe(404);
      expect((await roost.roost.inject({ ...patch, method: 'DELETE' })).status).toBe(404);
      expect((await roost.get('/api/collections/_superusers/records', token)).status).toBe(403);
    }
    expect((await roost.get(records, root)).body.totalItems).toBe(2);
    expect((await roost.get(`${records}/${bob.id}`, root)).body.email).toBe('bob@x.io');
  });

  it('AUTH-504 nobody filters or sorts by what is secret, and nobody sees it', async () => {
    const root = await roost.superuser();
    for (const field of ['password', 'tokenKey']) {
      for (const query of [`filter=${field}!=""`, `sort=${field}`, `filter=${field}~"a"`]) {
        const url = `/api/collections/members/records?${encodeURI(query)}`;
        expect([query, (await roost.get(url, ann)).status]).toEqual([query, 400]);
      }
      const shown = await roost.get(`/api/collections/members/records?fields=*,${field}`, root);
      expect(shown.status).toBe(200);
      expect(shown.text).not.toContain(`"${field}"`);
      expect(shown.text).not.toContain('$2b$');
    }
  });

  it('AUTH-504 nobody asks about the hash in a password field of a team, nor in a view of it', async () => {
    const fields = [{ name: 'pin', type: 'password', cost: 4 }];
    await roost.roost.createCollections({ name: 'doors', type: 'base', listRule: '', fields });
    const viewQuery = "SELECT id, pin, pin || '' AS copy FROM doors";
    await roost.roost.createCollections({ name: 'entrances', type: 'view', listRule: '', viewQuery });
    await roost.records.create('doors', { pin: '12345678' });
    for (const [collection, field] of [
      ['doors', 'pin'],
      ['entrances', 'pin'],
      ['entrances', 'copy'],
    ]) {
      const url = `/api/collections/${collection}/records`;
      for (const query of [`filter=${field}~"$2b$"`, `sort=${field}`, `filter=${field}!=""`]) {
        expect([collection, query, (await roost.get(`${url}?${encodeURI(query)}`)).status]).toEqual([
          collection,
          query,
          400,
        ]);
      }
      expect((await roost.get(url)).text).not.toContain('$2b$');
    }
  });

  it('AUTH-1107 AUTH-505 who has no password known to anybody resets it, then changes the address', async () => {
    const unknown = PasswordValue.fromHash(unknownHash(4));
    await roost.addMember('eve@x.io', { password: unknown });
    const sent = roost.mails.length;
    await roost.post('request-password-reset', { email: 'eve@x.io' });
    const token = tokenIn((await roost.mailsSent(sent + 1))[sent]!);
    const body = { token, password: 'correct horse', passwordConfirm: 'correct horse' };
    expect((await roost.post('confirm-password-reset', body)).status).toBe(204);
    const eve = await roost.signIn('eve@x.io');
    expect((await roost.post('request-email-change', { newEmail: 'eve2@x.io' }, { token: eve })).status).toBe(204);
    const change = { token: tokenIn(roost.mails.at(-1)!), password: 'correct horse' };
    expect((await roost.post('confirm-email-change', change)).status).toBe(204);
    expect(await roost.signIn('eve2@x.io')).not.toBe('');
  });
});
