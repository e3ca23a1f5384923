import { readFileSync } from 'node:fs';
import { Injectable, Module } from '@nestjs/common';
import { AfterAuth, type AuthEvent, BeforeAuth, Caller, ForbiddenError, SignInModule, SignInService } from 'roost';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plainBody } from '../../src/http/body/request-body.js';
import { MemberRoost, PASSWORD, settle } from '../auth/support/member-roost.js';
import { inProject } from '../support/compile.js';
import { startRoost } from '../support/roost.js';
import { SmsGateway, SmsModule } from './sms/sms-sign-in.js';

const PHONE = '+41 79 000 00 01';
const CODES = {
  name: 'sms_codes',
  type: 'base',
  fields: [
    { name: 'account', type: 'text' },
    { name: 'hash', type: 'text' },
    { name: 'sent', type: 'date' },
  ],
};

let seen: string[];

@Injectable()
class Watch {
  @BeforeAuth('members')
  before({ record, method, caller }: AuthEvent): void {
    seen.push(`before ${method} ${caller.request.context}`);
    if (record.get('name') === 'suspect') throw new ForbiddenError('Not you.');
  }

  @AfterAuth('members')
  after({ method }: AuthEvent): void {
    seen.push(`after ${method}`);
  }
}

@Module({ imports: [SmsModule], providers: [Watch] })
class TestModule {}

describe('a way of signing in of a module', () => {
  let roost: MemberRoost;
  let messages: string[];

  const request = (phone = PHONE) => roost.post('request-sms', { phone });
  const login = (code: string, more: object = {}) => roost.post('auth-with-sms', { phone: PHONE, code, ...more });

  async function codeSent(): Promise<string> {
    const before = messages.length;
    expect((await request()).status).toBe(204);
    for (let round = 0; round < 500 && messages.length === before; round++) await settle();
    return /\d{6}/.exec(messages.at(-1)!)![0];
  }

  beforeAll(async () => {
    seen = [];
    messages = [];
    roost = await MemberRoost.start(
      {
        authRule: 'banned = false',
        fields: [
          { name: 'password', type: 'password', min: 8, cost: 4 },
          { name: 'name', type: 'text' },
          { name: 'phone', type: 'text' },
          { name: 'banned', type: 'bool' },
        ],
        indexes: ["CREATE UNIQUE INDEX idx_members_phone ON members (phone) WHERE phone != ''"],
      },
      { imports: [TestModule] },
    );
    await roost.roost.createCollections(CODES);
    const gateway = roost.roost.app.get(SmsGateway, { strict: false });
    gateway.send = async (phone, text) => void messages.push(`${phone} ${text}`);
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    await roost.reset();
    await roost.addMember('ann@x.io', { phone: PHONE });
    await roost.addMember('no-number@x.io');
    messages = [];
    seen = [];
  });

  it('EXT-26 docs/extending.md shows what is tested here', () => {
    const source = readFileSync(inProject('test/extending/sms/sms-sign-in.ts'), 'utf8');
    expect(readFileSync(inProject('docs/extending.md'), 'utf8')).toContain(source);
  });

  it('EXT-26 signs in with the answer and the hooks of all ways, once for each code', async () => {
    const code = await codeSent();
    const { status, body } = await login(code);
    expect([status, Object.keys(body as object).sort()]).toEqual([200, ['record', 'token']]);
    expect(body.record.email).toBe('ann@x.io');
    expect(await roost.isGood(body.token)).toBe(true);
    expect(seen.slice(0, 2)).toEqual(['before sms sms', 'after sms']);
    expect((await login(code)).status).toBe(400);
  });

  it('EXT-26 tells nothing about who has which number, and takes no code of nobody', async () => {
    for (const phone of ['+1', '', undefined]) expect((await roost.post('request-sms', { phone })).status).toBe(204);
    const answers = [];
    for (const phone of ['+1', '', PHONE]) answers.push((await login('000000', { phone })).body);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(messages).toEqual([]);
  });

  it('EXT-26 guessing is slowed down, also when it is done at once', async () => {
    const code = await codeSent();
    const guesses = Array.from({ length: 40 }, (_, guess) => login(guess === 39 ? code : `x${guess}`));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(statuses.at(-1)).toBe(429);
    expect((await login(code, { phone: '+1' })).status).toBe(400);
  });

  it('EXT-26 proofs that take long to look at are looked at one after another, and a throw is a wrong one', async () => {
    const signIns = roost.roost.app.get(SignInService, { strict: false });
    const ann = (await roost.records.findFirst('members', "email = 'ann@x.io'"))!;
    for (const account of [ann, 'nobody']) {
      const attempt = { method: 'sms', collection: ann.collection, account, caller: new Caller(null) };
      let asked = 0;
      const check = async () => {
        asked++;
        await settle();
        if (asked % 2 === 0) throw new Error('Wrong.');
        return false;
      };
      await Promise.allSettled(Array.from({ length: 40 }, () => signIns.isRight(attempt, check)));
      expect(asked).toBe(10);
      await expect(signIns.isRight(attempt, () => true)).rejects.toMatchObject({ status: 429 });
    }
  });

  it('EXT-26 the rule of the collection, hooks and rate limits hold', async () => {
    const [ann] = (await roost.records.find('members', { filter: "email = 'ann@x.io'" })).items;
    await roost.records.update('members', ann!.id, { banned: true });
    expect((await login(await codeSent())).status).toBe(403);
    await roost.records.update('members', ann!.id, { banned: false, name: 'suspect' });
    roost.roost.clock.advance(61_000);
    const refused = await login(await codeSent());
    expect([refused.status, refused.body.message]).toEqual([403, 'Not you.']);
    const rules = [{ label: 'members:auth', audience: '', duration: 60, maxRequests: 1 }];
    await roost.roost.inject({
      method: 'PATCH',
      url: '/api/settings',
      token: await roost.superuser(),
      body: { rateLimits: { enabled: true, rules } },
    });
    const statuses = [];
    for (let round = 0; round < 2; round++) statuses.push((await login('000000')).status);
    expect(statuses).toEqual([400, 429]);
  });

  it('EXT-26 is one of the two methods of MFA, in either order, and not both of them', async () => {
    // One shipped method and this one are enough for it.
    await roost.configure({ otp: { enabled: false }, mfa: { enabled: true, duration: 600 } });
    const first = await login(await codeSent());
    expect([first.status, Object.keys(first.body as object)]).toEqual([401, ['mfaId']]);
    const { mfaId } = first.body as { mfaId: string };
    roost.roost.clock.advance(61_000);
    expect((await login(await codeSent(), { mfaId })).status).toBe(400);
    const byPassword = (more: object = {}) =>
      roost.post('auth-with-password', { identity: 'ann@x.io', password: PASSWORD, ...more });
    expect((await byPassword({ mfaId })).status).toBe(200);
    const other = (await byPassword()).body as { mfaId: string };
    roost.roost.clock.advance(61_000);
    expect((await login(await codeSent(), other)).status).toBe(200);
  });

  it('EXT-26 a check that changes the password leaves the challenge open that it answers, and no other', async () => {
    const signIns = roost.roost.app.get(SignInService, { strict: false });
    const ann = (await roost.records.findFirst('members', "email = 'ann@x.io'"))!;
    const row = { collectionRef: ann.collection.id, recordRef: ann.id, method: 'otp' };
    const { id: mfaId } = await roost.records.create('_mfas', row);
    await roost.records.create('_mfas', row);
    const attempt = { method: 'sms', collection: ann.collection, account: ann, caller: new Caller(null) };
    const check = async () => {
      await roost.records.update('members', ann.id, { password: 'taken-over' });
      return true;
    };
    expect(await signIns.isRight({ ...attempt, body: plainBody({ mfaId }) }, check)).toBe(true);
    expect((await roost.rowsOf('_mfas', ann)).map(({ id }) => id)).toEqual([mfaId]);
    expect(await signIns.isRight(attempt, check)).toBe(true);
    expect(await roost.rowsOf('_mfas', ann)).toEqual([]);
  });

  it('EXT-26 a rule sees what was sent, and alerts go out', async () => {
    await roost.configure({ authRule: '@request.body.device = "known"', authAlert: { enabled: true } });
    expect((await login(await codeSent())).status).toBe(403);
    for (const agent of ['one', 'two']) {
      roost.roost.clock.advance(61_000);
      const body = { phone: PHONE, code: await codeSent(), device: 'known' };
      const { status } = await roost.post('auth-with-sms', body, { headers: { 'user-agent': agent } });
      expect(status).toBe(200);
    }
    expect(await roost.mailsSent(1)).toHaveLength(1);
  });

  it('EXT-26 shows up in auth-methods of its collections only', async () => {
    const methods = async (name: string) => (await roost.get(`/api/collections/${name}/auth-methods`)).body;
    expect((await methods('members')).custom).toEqual([{ name: 'sms', displayName: 'Text message' }]);
    expect(await methods('_superusers')).not.toHaveProperty('custom');
  });

  it('EXT-26 what is not registered, or for another collection, signs nobody in', async () => {
    const signIns = roost.roost.app.get(SignInService, { strict: false });
    const ann = (await roost.records.findFirst('members', "email = 'ann@x.io'"))!;
    const root = (await roost.records.findFirst('_superusers', "id != ''"))!;
    const caller = new Caller(null);
    await expect(signIns.signIn(ann, { method: 'fax', caller })).rejects.toThrow('not registered');
    await expect(signIns.signIn(root, { method: 'sms', caller })).rejects.toThrow('not registered');
    await expect(signIns.signIn(ann, { method: 'sms', caller: undefined as never })).rejects.toThrow(TypeError);
    await roost.records.delete('members', ann.id);
    await expect(signIns.signIn(ann, { method: 'sms', caller })).rejects.toThrow('no such account');
  });

  it.each(['password', 'otp', 'two words', ''])('EXT-26 %j cannot be the name of one', async (name) => {
    const method = { name, displayName: 'X', collections: ['members'] };
    await expect(startRoost({ imports: [SignInModule.register(method)] })).rejects.toThrow('way of signing in');
  });
});
