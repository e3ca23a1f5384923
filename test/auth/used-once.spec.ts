import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AuthAlerts } from '../../src/auth/auth-alerts.js';
import { OtpRows } from '../../src/auth/otp/otp-rows.js';
import { SetupService } from '../../src/auth/superusers/setup.service.js';
import { EVENT_BUS, type EventBus } from '../../src/events/event-bus.js';
import { ValidationError } from '../../src/kernel/errors/validation.error.js';
import type { Caller } from '../../src/kernel/records/caller.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { RecordChanged } from '../../src/records/record-changed.event.js';
import { RecordRows } from '../../src/records/record-rows.js';
import { RecordsService } from '../../src/records/records.service.js';
import type { TestResponse, TestRoost } from '../../src/testing/index.js';
import { TokensService } from '../../src/tokens/tokens.service.js';
import { startRoost } from '../support/roost.js';
import { codeIn, MemberRoost, PASSWORD } from './support/member-roost.js';

const CONTENDERS = 50;

type Contender = (index: number) => Promise<TestResponse>;

/** How many of those who try at the same moment got each status. */
async function outcomeOf(contender: Contender): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: CONTENDERS }, (_, index) => contender(index)));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Each from an address of its own, because attempts are counted by address. */
const from = (index: number) => ({ remoteAddress: `10.${index >> 8}.${index & 255}.1` });

describe('SCALE-16 of fifty who come at the same moment', () => {
  let roost: MemberRoost;
  let ann: RecordModel;
  beforeAll(async () => {
    roost = await MemberRoost.start({ otp: { enabled: true, duration: 86_400, length: 8 } });
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    await roost.reset();
    ann = await roost.addMember('ann@x.io');
  });
  afterEach(() => vi.restoreAllMocks());

  it('one signs in with a code', async () => {
    const { otpId, password } = await askForCode();
    const outcome = await outcomeOf((index) => roost.post('auth-with-otp', { otpId, password }, from(index)));
    expect(outcome).toEqual({ 200: 1, 400: CONTENDERS - 1 });
  });

  it('one completes a sign-in with a second step', async () => {
    const mfaId = await challenge();
    const second = { identity: 'ann@x.io', password: PASSWORD, mfaId };
    const outcome = await outcomeOf((index) => roost.post('auth-with-password', second, from(index)));
    expect(outcome).toEqual({ 200: 1, 400: CONTENDERS - 1 });
  });

  it('one sets a password with a mailed token, and it is that one which counts', async () => {
    const token = await tokens().issue(ann, 'passwordReset');
    const passwordOf = (index: number) => `horse number ${index}`;
    const winners: string[] = [];
    const outcome = await outcomeOf(async (index) => {
      const password = passwordOf(index);
      const answer = await roost.post(
        'confirm-password-reset',
        { token, password, passwordConfirm: password },
        from(index),
      );
      if (answer.status === 204) winners.push(password);
      return answer;
    });
    expect(outcome).toEqual({ 204: 1, 400: CONTENDERS - 1 });
    const identity = 'ann@x.io';
    expect((await roost.post('auth-with-password', { identity, password: winners[0] })).status).toBe(200);
  });

  it('one changes the address of an account, of tokens for fifty addresses', async () => {
    const issued = Array.from({ length: CONTENDERS }, (_, index) =>
      tokens().issue(ann, 'emailChange', { newEmail: `ann${index}@x.io` }),
    );
    const links = await Promise.all(issued);
    const outcome = await outcomeOf((index) =>
      roost.post('confirm-email-change', { token: links[index], password: PASSWORD }, from(index)),
    );
    expect(outcome).toEqual({ 204: 1, 400: CONTENDERS - 1 });
    expect((await roost.member(ann.id)).get('email')).toMatch(/^ann\d+@x\.io$/);
  });

  it('each who confirms an address does, and it is done once', async () => {
    await roost.configure({ passwordAuth: { enabled: false } });
    const bob = await roost.addMember('bob@x.io', { verified: false });
    const token = await tokens().issue(bob, 'verification');
    const changes: unknown[] = [];
    const bus = roost.roost.app.get<EventBus>(EVENT_BUS, { strict: false });
    bus.subscribe(RecordChanged, ({ record }) => {
      if (record.id === bob.id) changes.push(record.get('tokenKey'));
    });
    const outcome = await outcomeOf((index) => roost.post('confirm-verification', { token }, from(index)));
    expect((outcome[204] ?? 0) + (outcome[400] ?? 0)).toBe(CONTENDERS);
    expect(outcome[204]).toBeGreaterThan(0);
    expect([(await roost.member(bob.id)).get('verified'), changes.length]).toEqual([true, 1]);
  });

  it('no more codes are open than may be', async () => {
    const otps = roost.roost.app.get(OtpRows, { strict: false });
    await Promise.all(Array.from({ length: CONTENDERS }, () => otps.issue(ann)));
    expect(await roost.rowsOf('_otps', ann)).toHaveLength(otps.maxOpen);
  });

  it('five leave the places from which they came', async () => {
    await roost.configure({ authAlert: { enabled: true } });
    ann = await roost.member(ann.id);
    let remembered = 0;
    const bus = roost.roost.app.get<EventBus>(EVENT_BUS, { strict: false });
    bus.subscribe(RecordChanged, ({ action, record }) => {
      if (action === 'create' && record.get('recordRef') === ann.id) remembered++;
    });
    const alerts = roost.roost.app.get(AuthAlerts, { strict: false });
    const noticed = Array.from({ length: CONTENDERS }, (_, index) =>
      alerts.notice(ann, { ip: from(index).remoteAddress, request: { headers: {} } } as Caller),
    );
    await Promise.all(noticed);
    expect([remembered, (await roost.rowsOf('_authOrigins', ann)).length]).toEqual([CONTENDERS, 5]);
  });

  it('nobody leaves anything of an account that is deleted', async () => {
    const accounts = await Promise.all(
      Array.from({ length: CONTENDERS }, (_, index) => roost.addMember(`gone${index}@x.io`)),
    );
    const challenges = accounts.map(({ collection, id }) => ({
      collectionRef: collection.id,
      recordRef: id,
      method: 'otp',
    }));
    await Promise.all(
      accounts.flatMap(({ id }, index) => [
        roost.records.delete('members', id),
        roost.records.create('_mfas', challenges[index]).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ValidationError);
        }),
      ]),
    );
    const left = await Promise.all(accounts.map((account) => roost.rowsOf('_mfas', account)));
    expect(left.flat()).toEqual([]);
  });

  it('whoever reads what another has used in the meantime is refused', async () => {
    const { otpId, password } = await askForCode();
    const rows = roost.roost.app.get(RecordRows, { strict: false });
    // What another process would have done between the reading and the deleting of this one.
    vi.spyOn(rows, 'remove').mockResolvedValueOnce(new Set());
    expect((await roost.post('auth-with-otp', { otpId, password })).status).toBe(400);
    const mfaId = await challenge();
    vi.spyOn(rows, 'remove').mockResolvedValueOnce(new Set());
    const second = { identity: 'ann@x.io', password: PASSWORD, mfaId };
    expect((await roost.post('auth-with-password', second)).status).toBe(400);
    await roost.configure({ mfa: { enabled: false } });
    const find = rows.find.bind(rows);
    const before = await roost.member(ann.id);
    const token = await tokens().issue(before, 'passwordReset');
    await roost.records.update('members', ann.id, { password: 'somebody was first' });
    vi.spyOn(rows, 'find').mockImplementation((collection, id) =>
      id === ann.id ? before.snapshot() : find(collection, id),
    );
    const late = { token, password: 'second horse', passwordConfirm: 'second horse' };
    const answer = await roost.post('confirm-password-reset', late);
    expect([answer.status, answer.body.data.token.code]).toEqual([400, 'validation_invalid_token']);
    vi.restoreAllMocks();
    const first = { identity: 'ann@x.io', password: 'somebody was first' };
    expect((await roost.post('auth-with-password', first)).status).toBe(200);
  });

  async function askForCode(): Promise<{ otpId: string; password: string }> {
    const sent = roost.mails.length;
    const { otpId } = (await roost.post('request-otp', { email: 'ann@x.io' })).body as { otpId: string };
    return { otpId, password: codeIn((await roost.mailsSent(sent + 1))[sent]!) };
  }

  /** A first step, with a code. */
  async function challenge(): Promise<string> {
    await roost.configure({ mfa: { enabled: true, duration: 600, rule: '' } });
    const code = await askForCode();
    return ((await roost.post('auth-with-otp', code)).body as { mfaId: string }).mfaId;
  }

  function tokens(): TokensService {
    return roost.roost.app.get(TokensService, { strict: false });
  }
});

describe('SCALE-16 of fifty superusers to be', () => {
  let roost: TestRoost;
  beforeEach(async () => {
    roost = await startRoost();
  });
  afterEach(() => roost.close());

  const records = () => roost.app.get(RecordsService, { strict: false });

  it('one becomes the first with the printed link', async () => {
    const token = (await roost.app.get(SetupService, { strict: false }).invite())!;
    const outcome = await outcomeOf((index) => {
      const body = { email: `root${index}@example.com`, password: PASSWORD, passwordConfirm: PASSWORD, token };
      return roost.inject({ url: '/api/setup', body, ...from(index) });
    });
    expect(outcome).toMatchObject({ 200: 1 });
    expect(Object.values(outcome).reduce((sum, count) => sum + count, 0)).toBe(CONTENDERS);
    expect(await records().count('_superusers')).toBe(1);
  });

  it('one stays when each deletes itself', async () => {
    const tokens = roost.app.get(TokensService, { strict: false });
    const superusers: RecordModel[] = [];
    for (let index = 0; index < CONTENDERS; index++) {
      superusers.push(await records().create('_superusers', { email: `root${index}@example.com`, password: PASSWORD }));
    }
    const own = await Promise.all(superusers.map((superuser) => tokens.issue(superuser, 'auth')));
    const outcome = await outcomeOf((index) => {
      const url = `/api/collections/_superusers/records/${superusers[index]!.id}`;
      return roost.inject({ method: 'DELETE', url, token: own[index] });
    });
    expect(outcome).toEqual({ 204: CONTENDERS - 1, 400: 1 });
    expect(await records().count('_superusers')).toBe(1);
  });
});
