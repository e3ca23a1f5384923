import { ForbiddenException, Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AfterAuth, type AuthEvent, BeforeAuth } from '../../src/auth/auth.hooks.js';
import { MemberRoost, PASSWORD } from './support/member-roost.js';

const seen: string[] = [];

@Injectable()
class SignInWatch {
  @BeforeAuth('members')
  refuse({ record, method, caller }: AuthEvent): void {
    seen.push(`before ${method} ${caller.isGuest ? 'guest' : 'somebody'}`);
    if (record.get('banned') === true) throw new ForbiddenException('Banned.');
  }

  @AfterAuth()
  note({ record, method }: AuthEvent): void {
    seen.push(`after ${method} ${record.collection.name}`);
    throw new Error('Nobody waits for this.');
  }
}

@Module({ providers: [SignInWatch] })
class WatchModule {}

describe('hooks around signing in', () => {
  let roost: MemberRoost;
  beforeAll(async () => {
    roost = await MemberRoost.start({ authAlert: { enabled: true } }, { imports: [WatchModule] });
  });
  afterAll(() => roost.close());

  it('EXT-31 run for every way of signing in, with its name', async () => {
    const ann = await roost.addMember('ann@x.io');
    seen.length = 0;
    const token = await roost.signIn('ann@x.io');
    await roost.post('auth-refresh', undefined, { token });
    await roost.post(`impersonate/${ann.id}`, {}, { token: await roost.superuser() });
    expect(seen).toEqual([
      'before password guest',
      'after password members',
      'before refresh somebody',
      'after refresh members',
      'before impersonate somebody',
      'after impersonate members',
    ]);
  });

  it('EXT-31 EXT-32 may refuse, and are not asked before the credentials are proven', async () => {
    await roost.addMember('eve@x.io', { banned: true });
    seen.length = 0;
    const wrong = await roost.post('auth-with-password', { identity: 'eve@x.io', password: 'wrong' });
    expect([wrong.status, seen]).toEqual([400, []]);
    const refused = await roost.post('auth-with-password', { identity: 'eve@x.io', password: PASSWORD });
    expect(refused.status).toBe(403);
    expect(refused.body.message).toBe('Banned.');
    expect(seen).toEqual(['before password guest']);
  });

  it('EXT-31 AUTH-705 a sign-in that a hook refuses leaves no trace of where it came from', async () => {
    const bea = await roost.addMember('bea@x.io');
    await roost.signIn('bea@x.io');
    const origins = () => roost.records.count('_authOrigins', { filter: 'recordRef = {:id}', params: { id: bea.id } });
    expect(await origins()).toBe(1);
    await roost.records.update('members', bea.id, { banned: true });
    const elsewhere = await roost.roost.inject({
      url: '/api/collections/members/auth-with-password',
      body: { identity: 'bea@x.io', password: PASSWORD },
      headers: { 'user-agent': 'another browser' },
    });
    expect(elsewhere.status).toBe(403);
    expect([await origins(), roost.mails.length]).toEqual([1, 0]);
  });
});
