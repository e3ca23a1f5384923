import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestRoost } from '../../src/testing/index.js';
import { RecordApi } from '../support/api.js';
import { BLOG } from '../support/blog.js';
import { startRoost } from '../support/roost.js';

const PASSWORD = { password: '12345678', passwordConfirm: '12345678' };

describe('accounts through the record endpoints', () => {
  let roost: TestRoost;
  let root: RecordApi;
  let guest: RecordApi;
  let boss: RecordApi;
  let own: RecordApi;
  let id: string;
  let email: string;
  let count = 0;

  beforeAll(async () => {
    roost = await startRoost();
    root = new RecordApi(roost, await roost.createSuperuser());
    guest = root.as(undefined);
    await roost.createCollections(...BLOG, {
      name: 'others',
      type: 'auth',
      createRule: '',
      listRule: '',
      viewRule: '',
      updateRule: '',
    });
    await root.make('users2', { email: 'boss@example.com', role: 'manager', ...PASSWORD });
    boss = root.as(await roost.signIn('users2', 'boss@example.com'));
  });

  beforeEach(async () => {
    email = `user${count++}@example.com`;
    id = (await guest.make('users2', { email, ...PASSWORD })).id;
    own = root.as(await roost.signIn('users2', email));
  });

  afterAll(() => roost.close());

  const codes = async (response: Promise<{ status: number; body: { data: Record<string, { code: string }> } }>) => {
    const { status, body } = await response;
    expect(status).toBe(400);
    return Object.fromEntries(Object.entries(body.data).map(([key, error]) => [key, error.code]));
  };
  const signIn = async (password: string) =>
    (
      await roost.inject({
        url: '/api/collections/users2/auth-with-password',
        body: { identity: email, password },
      })
    ).status;

  it('AUTH-601 AUTH-604 RULE-11 demands a password and its confirmation on create, before all else', async () => {
    expect(await codes(guest.create('users2', { email: 'bad' }))).toEqual({
      password: 'validation_required',
      passwordConfirm: 'validation_required',
    });
    const mismatch = { email: 'bad', password: '12345678', passwordConfirm: '1234567' };
    expect(await codes(guest.create('users2', mismatch))).toEqual({ passwordConfirm: 'validation_values_mismatch' });
    for (const as of [root, boss]) {
      expect(await codes(as.create('users2', { email: 'bad' }))).toEqual({
        password: 'validation_required',
        passwordConfirm: 'validation_required',
      });
      expect(await codes(as.create('users2', { email: 'bad', password: '12345678' }))).toEqual({
        passwordConfirm: 'validation_required',
      });
    }
    expect(await codes(guest.create('users2', { email: 'bad', ...PASSWORD }))).toEqual({
      email: 'validation_is_email',
    });
    const short = { email: 'a@example.com', password: '1234567', passwordConfirm: '1234567' };
    expect(await codes(guest.create('users2', short))).toEqual({ password: 'validation_min_text_constraint' });
  });

  it('AUTH-601 AUTH-602 lets only superusers and managers set verified', async () => {
    const body = (local: string) => ({ email: `${local}${count}@example.com`, verified: true, ...PASSWORD });
    expect(await codes(guest.create('users2', body('guest')))).toEqual({ verified: 'validation_values_mismatch' });
    expect((await boss.create('users2', body('managed'))).body.verified).toBe(true);
    expect((await root.create('users2', body('rooted'))).body.verified).toBe(true);
    expect(await codes(own.update('users2', id, { verified: true }))).toEqual({
      verified: 'validation_values_mismatch',
    });
  });

  it('AUTH-601 AUTH-604 AUTH-605 keeps an owner from changing the email directly', async () => {
    expect(await codes(own.update('users2', id, { email: 'new@example.com' }))).toEqual({
      email: 'validation_values_mismatch',
    });
    for (const none of ['', null]) {
      expect(await codes(own.update('users2', id, { email: none }))).toMatchObject({
        email: 'validation_values_mismatch',
      });
    }
    expect((await own.update('users2', id, { email })).status).toBe(200);
    const changed = await root.update('users2', id, { email: `root-${email}` });
    expect([changed.body.email, changed.body.verified]).toEqual([`root-${email}`, false]);
  });

  it('AUTH-601 RULE-10 demands the old password from an owner, not from managers', async () => {
    const next = { password: 'new-secret', passwordConfirm: 'new-secret' };
    expect(await codes(own.update('users2', id, next))).toEqual({ oldPassword: 'validation_required' });
    expect(await codes(own.update('users2', id, { ...next, oldPassword: 'wrong' }))).toEqual({
      oldPassword: 'validation_invalid_old_password',
    });
    expect(await codes(own.update('users2', id, { oldPassword: '12345678' }))).toEqual({
      password: 'validation_required',
      passwordConfirm: 'validation_required',
    });
    expect(await codes(own.update('users2', id, { password: '' }))).toEqual({ password: 'validation_required' });
    expect(await codes(own.update('users2', id, { password: null }))).toEqual({ password: 'validation_required' });
    expect(await signIn('12345678')).toBe(200);
    expect((await own.update('users2', id, { ...next, oldPassword: '12345678' })).status).toBe(200);
    expect([await signIn('12345678'), await signIn('new-secret')]).toEqual([400, 200]);
    const again = { password: 'third-secret', passwordConfirm: 'third-secret' };
    expect((await root.update('users2', id, again)).status).toBe(200);
    expect(await signIn('third-secret')).toBe(200);
  });

  it('AUTH-603 RULE-11 takes an empty password for a missing one, whoever sends it, before all else', async () => {
    for (const as of [own, root]) {
      for (const password of ['', null]) {
        const change = { password, role: 'nobody' };
        expect(await codes(as.update('users2', id, change))).toEqual({ password: 'validation_required' });
      }
    }
    expect((await own.update('users2', id, { name: 'without any' })).status).toBe(200);
    expect(await signIn('12345678')).toBe(200);
  });

  it('AUTH-602 RULE-10 to manage an account is not to update it', async () => {
    expect((await boss.update('users2', id, { name: 'Ann' })).status).toBe(404);
  });

  it('AUTH-602 RULE-10 RULE-11 AUTH-605 demands the confirmation from managers and superusers, and nothing else', async () => {
    const manageRule = '@request.auth.role = "manager"';
    await roost.createCollections({ name: 'staff', type: 'auth', viewRule: '', updateRule: '', manageRule });
    const account = await root.make('staff', { email: 'staff@example.com', verified: true, ...PASSWORD });
    for (const [name, as] of Object.entries({ boss, root })) {
      const alone = { password: 'next-secret', email: 'no address' };
      expect(await codes(as.update('staff', account.id, alone))).toEqual({ passwordConfirm: 'validation_required' });
      const mistyped = { password: 'next-secret', passwordConfirm: 'next-secert' };
      expect(await codes(as.update('staff', account.id, mistyped))).toEqual({
        passwordConfirm: 'validation_values_mismatch',
      });
      const change = { email: `${name}@example.com`, password: `${name}-secret`, passwordConfirm: `${name}-secret` };
      const { status, body } = await as.update('staff', account.id, change);
      expect([name, status, body.email, body.verified]).toEqual([name, 200, change.email, true]);
      const signedIn = await roost.inject({
        url: '/api/collections/staff/auth-with-password',
        body: { identity: change.email, password: change.password },
      });
      expect(signedIn.status).toBe(200);
    }
    expect((await boss.update('staff', account.id, { verified: false })).body.verified).toBe(false);
    expect(await codes(guest.update('staff', account.id, { verified: true }))).toEqual({
      verified: 'validation_values_mismatch',
    });
  });

  it('AUTH-601 BODY-5 takes passwords that a form sends as numbers', async () => {
    const form = new FormData();
    const sent = { email: `form-${email}`, ...PASSWORD };
    for (const [key, value] of Object.entries(sent)) form.append(key, value);
    const { id: other } = await guest.make('users2', form);
    own = root.as(await roost.signIn('users2', sent.email));
    const next = { password: 87654321, passwordConfirm: 87654321 };
    expect(await codes(own.update('users2', other, { ...next, oldPassword: 1 }))).toEqual({
      oldPassword: 'validation_invalid_old_password',
    });
    expect((await own.update('users2', other, { ...next, oldPassword: 12345678 })).status).toBe(200);
    email = sent.email;
    expect(await signIn('87654321')).toBe(200);
  });

  it('AUTH-307 AUTH-611 RULE-12 ends all tokens with a new password or email', async () => {
    const alive = async () => (await own.update('users2', id, { name: 'x' })).status === 200;
    expect(await alive()).toBe(true);
    await root.update('users2', id, { name: 'other field' });
    expect(await alive()).toBe(true);
    await root.update('users2', id, { password: '12345678', passwordConfirm: '12345678' });
    expect(await alive()).toBe(false);
    own = root.as(await roost.signIn('users2', email));
    expect(await alive()).toBe(true);
    await root.update('users2', id, { email: `x${email}` });
    expect(await alive()).toBe(false);
    own = root.as(await roost.signIn('users2', `x${email}`));
    await root.update('users2', id, { 'tokenKey:autogenerate': '' });
    expect(await alive()).toBe(false);
  });

  it('AUTH-207 forgets a deleted account at once', async () => {
    expect((await own.view('users2', id)).body.email).toBe(email);
    await root.delete('users2', id);
    const token = await roost.inject({ method: 'POST', url: '/api/files/token', token: 'x' });
    expect([401, 404]).toContain(token.status);
    expect((await own.create('posts', { title: 'x', author: id })).status).toBe(400);
  });

  it('AUTH-606 COL-62 RULE-12 keeps ids unique over all auth collections, and over no others', async () => {
    expect(await codes(guest.create('others', { id, email: 'z@example.com', ...PASSWORD }))).toEqual({
      id: 'validation_invalid_auth_id',
    });
    const tag = await guest.make('tags', { id, label: 'has the id of an account' });
    expect(tag.id).toBe(id);
    const free = await guest.make('tags', { label: 'has an id no account has' });
    const account = { id: free.id, email: 'free@example.com', ...PASSWORD };
    expect((await guest.make('others', account)).id).toBe(free.id);
  });

  it('AUTH-603 COL-74 AUTH-502 refuses what bcrypt would cut off', async () => {
    const long = 'ü'.repeat(40);
    const body = { email: 'long@example.com', password: long, passwordConfirm: long };
    expect(await codes(guest.create('users2', body))).toEqual({ password: 'validation_max_text_constraint' });
    const nul = { email: 'nul@example.com', password: '1234\u00005678', passwordConfirm: '1234\u00005678' };
    expect(await codes(guest.create('users2', nul))).toEqual({ password: 'validation_invalid_format' });
  });

  it('COL-155 stores superusers as verified', async () => {
    const { body } = await root.create('_superusers', { email: 'second@example.com', verified: false, ...PASSWORD });
    expect(body.verified).toBe(true);
    expect((await root.update('_superusers', body.id, { verified: false })).body.verified).toBe(true);
  });
});
