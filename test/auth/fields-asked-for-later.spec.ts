import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { TokensService } from '../../src/tokens/tokens.service.js';
import { codeIn, MemberRoost, PASSWORD } from './support/member-roost.js';

describe('an account that lacks what its collection has asked for since', () => {
  let roost: MemberRoost;
  let ann: RecordModel;

  beforeAll(async () => {
    roost = await MemberRoost.start({ otp: { enabled: true, duration: 180, length: 8 } });
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    await roost.reset();
    ann = await roost.addMember('ann@x.io', { verified: false });
    const { fields } = (await roost.get('/api/collections/members', await roost.superuser())).body;
    const changed = fields.map((field: { name: string }) =>
      field.name === 'name' ? { ...field, required: true } : field,
    );
    await roost.configure({ fields: changed });
  });

  const issue = (type: 'verification' | 'passwordReset' | 'emailChange', newEmail?: string) =>
    roost.roost.app.get(TokensService, { strict: false }).issue(ann, type, { newEmail });

  it('COL-55 is not saved by its owner without it', async () => {
    const token = await roost.signIn('ann@x.io');
    const url = `/api/collections/members/records/${ann.id}`;
    const { status, body } = await roost.roost.inject({ method: 'PATCH', url, token, body: { banned: false } });
    expect([status, body.data.name.code]).toEqual([400, 'validation_required']);
  });

  it('AUTH-1104 is verified', async () => {
    expect((await roost.post('confirm-verification', { token: await issue('verification') })).status).toBe(204);
    expect((await roost.member(ann.id)).get('verified')).toBe(true);
  });

  it('AUTH-1104 gets another password, which is judged as ever', async () => {
    const token = await issue('passwordReset');
    const reset = (password: string) =>
      roost.post('confirm-password-reset', { token, password, passwordConfirm: password });
    const refused = await reset('x'.repeat(80));
    expect([refused.status, Object.keys(refused.body.data)]).toEqual([400, ['password']]);
    expect((await reset('another horse')).status).toBe(204);
  });

  it('AUTH-1104 gets another address, which is judged as ever', async () => {
    const { fields } = (await roost.get('/api/collections/members', await roost.superuser())).body;
    const changed = fields.map((field: { name: string }) =>
      field.name === 'email' ? { ...field, onlyDomains: ['x.io'] } : field,
    );
    await roost.configure({ fields: changed });
    const change = async (to: string) =>
      (await roost.post('confirm-email-change', { token: await issue('emailChange', to), password: PASSWORD })).status;
    expect([await change('ann@elsewhere.io'), await change('anna@x.io')]).toEqual([400, 204]);
    expect((await roost.member(ann.id)).get('email')).toBe('anna@x.io');
  });

  it('AUTH-836 signs in with a one-time password', async () => {
    const { otpId } = (await roost.post('request-otp', { email: 'ann@x.io' })).body;
    const [mail] = await roost.mailsSent(1);
    const { status, body } = await roost.post('auth-with-otp', { otpId, password: codeIn(mail!) });
    expect([status, body.record.verified]).toEqual([200, true]);
  });

  it('AUTH-851 signs out everywhere', async () => {
    const token = await roost.signIn('ann@x.io');
    expect((await roost.post('revoke-tokens', undefined, { token })).status).toBe(204);
    expect(await roost.isGood(token)).toBe(false);
  });
});
