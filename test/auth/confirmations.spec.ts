import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import { MAIL_TRANSPORT } from '../../src/mail/mail-transport.js';
import { TokensService } from '../../src/tokens/tokens.service.js';
import { MemberRoost, PASSWORD, settle, tokenIn } from './support/member-roost.js';

describe('confirmations by mail', () => {
  let roost: MemberRoost;
  let ann: RecordModel;
  beforeAll(async () => {
    roost = await MemberRoost.start();
    await roost.roost.createCollections({ id: 'pbc_others_0001', name: 'others', type: 'auth' });
  });
  afterAll(() => roost.close());
  beforeEach(async () => {
    await roost.reset();
    ann = await roost.addMember('ann@x.io', { verified: false });
  });

  describe('of an address', () => {
    it('AUTH-1101 AUTH-1104 AUTH-1108 verify the account and keep its tokens', async () => {
      const token = await roost.signIn('ann@x.io');
      const { status, text } = await roost.post('request-verification', { email: 'ann@x.io' });
      expect([status, text]).toEqual([204, '']);
      const [mail] = await roost.mailsSent(1);
      const link = tokenIn(mail!);
      expect(await confirm(link)).toEqual([204, '']);
      expect((await roost.member(ann.id)).get('verified')).toBe(true);
      expect(await roost.isGood(token)).toBe(true);
      expect(await confirm(link)).toEqual([204, '']);
    });

    it('AUTH-1101 AUTH-1503 say nothing about whether there is an account, or is verified, or was mailed just now', async () => {
      await roost.addMember('done@x.io');
      const answers: unknown[] = [];
      for (const email of ['ann@x.io', 'ann@x.io', 'done@x.io', 'nobody@x.io']) {
        const { status, text, headers } = await roost.post('request-verification', { email });
        answers.push({ status, text, names: Object.keys(headers).sort() });
      }
      expect(answers.every((answer) => JSON.stringify(answer) === JSON.stringify(answers[0]))).toBe(true);
      expect(await roost.allMails(1)).toHaveLength(1);
    });

    it('AUTH-1102 are mailed once in two minutes, also to who asks many times at once, and again once confirmed', async () => {
      const ask = () => roost.post('request-verification', { email: 'ann@x.io' });
      await Promise.all(Array.from({ length: 10 }, ask));
      expect(await roost.allMails(1)).toHaveLength(1);
      roost.roost.clock.advance(119_999);
      await ask();
      expect(await roost.allMails(1)).toHaveLength(1);
      roost.roost.clock.advance(1);
      await ask();
      expect(await roost.allMails(2)).toHaveLength(2);
      await confirm(tokenIn(roost.mails[1]!));
      await roost.records.update('members', ann.id, { verified: false });
      await ask();
      expect(await roost.allMails(3)).toHaveLength(3);
    });

    it.each(['verification', 'password-reset'])(
      'AUTH-1102 are mailed again at once when the mail did not go out: %s',
      async (mail) => {
        let attempts = 0;
        const send = () => Promise.reject(new Error(`No route, attempt ${++attempts}.`));
        await withTransport(send, async (mute) => {
          await mute.addMember('eve@x.io', { verified: false });
          for (let round = 1; round <= 2; round++) {
            expect((await mute.post(`request-${mail}`, { email: 'eve@x.io' })).status).toBe(204);
            await untilEqual(() => attempts, round);
          }
        });
        expect(attempts).toBe(2);
      },
    );

    it('AUTH-1104 say what is wrong with the token', async () => {
      const good = await tokens().issue(ann, 'verification');
      expect(await tokenCode('confirm-verification', 'rubbish')).toBe('validation_invalid_token_claims');
      expect(await tokenCode('confirm-verification', await tokens().issue(ann, 'auth'))).toBe(
        'validation_invalid_token_claims',
      );
      expect(await tokenCode('confirm-verification', '')).toBe('validation_required');
      expect(await tokenCode('confirm-verification', `${good}x`)).toBe('validation_invalid_token');
      expect(await tokenCode('confirm-verification', await tokens().issue(ann, 'passwordReset'))).toBe(
        'validation_invalid_token',
      );
      expect(await tokenCode('/api/collections/others/confirm-verification', good)).toBe(
        'validation_token_collection_mismatch',
      );
      roost.roost.clock.advance(86_400_000);
      expect(await tokenCode('confirm-verification', good)).toBe('validation_invalid_token');
    });

    it('AUTH-1104 prove the address they were sent to and no other, however it was changed', async () => {
      const verification = await tokens().issue(ann, 'verification');
      const link = await tokens().issue(ann, 'passwordReset');
      const sql = "UPDATE members SET email = 'other@x.io' WHERE id = ?";
      const database = roost.roost.app.get(Database, { strict: false });
      await database.transaction(() => database.run({ sql, params: [ann.id], writes: ['members'] }));
      expect(await tokenCode('confirm-verification', verification)).toBe('validation_token_email_mismatch');
      expect((await reset(link, 'another horse')).status).toBe(204);
      expect((await roost.member(ann.id)).get('verified')).toBe(false);
    });

    it('AUTH-1104 AUTH-307 do not survive another address', async () => {
      const good = await tokens().issue(ann, 'verification');
      await roost.records.update('members', ann.id, { email: 'ann2@x.io' });
      expect(await tokenCode('confirm-verification', good)).toBe('validation_invalid_token');
    });

    it('AUTH-1104 take the password where nobody signs in with one', async () => {
      await roost.configure({ passwordAuth: { enabled: false }, otp: { enabled: true } });
      const token = await roost.roost.signIn('members', 'ann@x.io');
      expect(await confirm(await tokens().issue(ann, 'verification'))).toEqual([204, '']);
      expect(await roost.isGood(token)).toBe(false);
      await roost.configure({ passwordAuth: { enabled: true } });
      expect((await roost.post('auth-with-password', { identity: 'ann@x.io', password: PASSWORD })).status).toBe(400);
    });

    it('AUTH-1103 are not for superusers', async () => {
      const token = await roost.superuser();
      for (const action of [
        'request-verification',
        'confirm-verification',
        'request-email-change',
        'confirm-email-change',
      ]) {
        const response = await roost.post(`/api/collections/_superusers/${action}`, {}, { token });
        expect([action, response.status, response.body.data]).toEqual([action, 400, {}]);
      }
    });
  });

  describe('of a new password', () => {
    it('AUTH-1104 AUTH-307 set it, end all tokens and verify the address', async () => {
      const old = await roost.signIn('ann@x.io');
      expect((await roost.post('request-password-reset', { email: 'ann@x.io' })).status).toBe(204);
      const [mail] = await roost.mailsSent(1);
      const link = tokenIn(mail!);
      const response = await reset(link, 'another horse');
      expect([response.status, response.text]).toEqual([204, '']);
      expect(await roost.isGood(old)).toBe(false);
      expect((await roost.member(ann.id)).get('verified')).toBe(true);
      expect((await login('another horse')).status).toBe(200);
      expect((await login(PASSWORD)).status).toBe(400);
      expect((await reset(link, 'third horses')).body.data.token.code).toBe('validation_invalid_token');
    });

    it('AUTH-1104 work once for requests at the same moment', async () => {
      const link = await tokens().issue(ann, 'passwordReset');
      const passwords = Array.from({ length: 6 }, (_, index) => `horse number ${index}`);
      const statuses = (await Promise.all(passwords.map((password) => reset(link, password)))).map(
        ({ status }) => status,
      );
      expect(statuses.toSorted()).toEqual([204, 400, 400, 400, 400, 400]);
      const winner = passwords[statuses.indexOf(204)]!;
      for (const password of passwords) expect((await login(password)).status).toBe(password === winner ? 200 : 400);
    });

    it('AUTH-1105 AUTH-103 name everything that is wrong together', async () => {
      const { status, body } = await roost.post('confirm-password-reset', {
        token: 'x',
        password: 'short',
        passwordConfirm: 'other',
      });
      expect(status).toBe(400);
      expect(codesOf(body)).toEqual({
        token: 'validation_invalid_token',
        password: 'validation_length_out_of_range',
        passwordConfirm: 'validation_values_mismatch',
      });
      expect(codesOf((await roost.post('confirm-password-reset', {})).body)).toEqual({
        token: 'validation_required',
        password: 'validation_required',
        passwordConfirm: 'validation_required',
      });
    });

    it('AUTH-502 AUTH-1104 refuse a password bcrypt would cut off, and the token is still good', async () => {
      const link = await tokens().issue(ann, 'passwordReset');
      expect(codesOf((await reset(link, 'x'.repeat(72))).body)).toEqual({ password: 'validation_max_text_constraint' });
      expect(codesOf((await reset(link, 'é'.repeat(40))).body)).toEqual({ password: 'validation_max_text_constraint' });
      expect(codesOf((await reset(link, 'with\0a nul in it')).body)).toEqual({ password: 'validation_invalid_format' });
      expect((await reset(link, 'x'.repeat(71))).status).toBe(204);
    });

    it('AUTH-1104 belong to their collection', async () => {
      const link = await tokens().issue(ann, 'passwordReset');
      const body = { token: link, password: 'another horse', passwordConfirm: 'another horse' };
      const response = await roost.post('/api/collections/others/confirm-password-reset', body);
      expect(codesOf(response.body)).toEqual({ token: 'validation_token_collection_mismatch' });
    });

    it('AUTH-1102 do not wait for a mail of another kind, nor for the last one once it was used', async () => {
      await roost.post('request-verification', { email: 'ann@x.io' });
      const ask = () => roost.post('request-password-reset', { email: 'ann@x.io' });
      await ask();
      const mails = await roost.mailsSent(2);
      const link = tokenIn(mails.find(({ html }) => html.includes('confirm-password-reset'))!);
      expect((await reset(link, 'another horse')).status).toBe(204);
      await ask();
      expect(await roost.allMails(3)).toHaveLength(3);
    });

    it('AUTH-1101 AUTH-1102 are mailed silently, once in two minutes', async () => {
      for (const email of ['ann@x.io', 'ann@x.io', 'nobody@x.io']) {
        const { status, text } = await roost.post('request-password-reset', { email });
        expect([status, text]).toEqual([204, '']);
      }
      expect(await roost.allMails(1)).toHaveLength(1);
      expect(codesOf((await roost.post('request-password-reset', { email: 'x' })).body)).toEqual({
        email: 'validation_is_email',
      });
    });

    it('AUTH-1104 are not begun where nobody signs in with a password, but completed', async () => {
      const link = await tokens().issue(ann, 'passwordReset');
      await roost.configure({ passwordAuth: { enabled: false }, otp: { enabled: true } });
      const response = await roost.post('request-password-reset', { email: 'ann@x.io' });
      expect([response.status, response.body.data]).toEqual([400, {}]);
      expect((await reset(link, 'another horse')).status).toBe(204);
    });
  });

  describe('of another address', () => {
    it('AUTH-1104 AUTH-1106 AUTH-307 go to the new one, need the password, and end all tokens', async () => {
      const token = await roost.signIn('ann@x.io');
      const response = await roost.post('request-email-change', { newEmail: 'new@x.io' }, { token });
      expect([response.status, response.text]).toEqual([204, '']);
      expect(roost.mails.map(({ to }) => to[0]!.address)).toEqual(['new@x.io']);
      expect((await roost.member(ann.id)).get('email')).toBe('ann@x.io');
      const link = tokenIn(roost.mails[0]!);
      expect(codesOf((await change(link, 'wrong')).body)).toEqual({ password: 'validation_invalid_password' });
      expect((await change(link, PASSWORD)).status).toBe(204);
      const stored = await roost.member(ann.id);
      expect([stored.get('email'), stored.get('verified')]).toEqual(['new@x.io', true]);
      expect(await roost.isGood(token)).toBe(false);
      expect(codesOf((await change(link, PASSWORD)).body)).toMatchObject({ token: 'validation_invalid_token' });
    });

    it('AUTH-1106 are refused for the present address, for one that is taken, and when no mail can be sent', async () => {
      await roost.addMember('bob@x.io');
      const token = await roost.signIn('ann@x.io');
      const code = async (newEmail: unknown) => {
        const { status, body } = await roost.post('request-email-change', { newEmail }, { token });
        expect(status).toBe(400);
        return codesOf(body)['newEmail'];
      };
      expect(await code('')).toBe('validation_required');
      expect(await code('x')).toBe('validation_is_email');
      expect(await code('ann@x.io')).toBe('validation_not_in_invalid');
      expect(await code('bob@x.io')).toBe('validation_invalid_new_email');
      const { fields } = (await roost.get('/api/collections/members', await roost.superuser())).body;
      const changed = fields.map((field: { name: string }) =>
        field.name === 'email' ? { ...field, exceptDomains: ['y.io'] } : field,
      );
      await roost.configure({ fields: changed });
      expect(await code('ann@y.io')).toBe('validation_email_domain_not_allowed');
      expect(roost.mails).toHaveLength(0);
      await withTransport(
        () => Promise.reject(new Error('No route.')),
        async (mute) => {
          await mute.addMember('eve@x.io');
          const eves = await mute.signIn('eve@x.io');
          const failed = await mute.post('request-email-change', { newEmail: 'new@x.io' }, { token: eves });
          expect([failed.status, failed.body.data]).toEqual([400, {}]);
        },
      );
    });

    it('OPS-39 are mailed once in two minutes to one address, however it is spelt and whoever asks', async () => {
      await roost.addMember('bob@x.io');
      const [anns, bobs] = [await roost.signIn('ann@x.io'), await roost.signIn('bob@x.io')];
      expect((await ask('new@x.io', anns)).status).toBe(204);
      for (const [newEmail, token] of [
        ['new@x.io', anns],
        ['NEW@X.io', anns],
        ['new@x.io', bobs],
      ] as const) {
        const refused = await ask(newEmail, token);
        expect([refused.status, refused.headers['retry-after']]).toEqual([429, '120']);
      }
      expect(await statusesOf(Array.from({ length: 3 }, () => ask('else@x.io', bobs)))).toEqual([204, 429, 429]);
      roost.roost.clock.advance(120_000);
      expect((await ask('new@x.io', bobs)).status).toBe(204);
      expect(roost.mails.map(({ to }) => to[0]!.address)).toEqual(['new@x.io', 'else@x.io', 'new@x.io']);
    });

    it('OPS-39 go at once to an address that was confirmed, or that no mail reached', async () => {
      const token = await roost.signIn('ann@x.io');
      expect((await ask('new@x.io', token)).status).toBe(204);
      expect((await change(tokenIn(roost.mails[0]!), PASSWORD)).status).toBe(204);
      await roost.records.update('members', ann.id, { email: 'ann@x.io' });
      expect((await ask('new@x.io', await roost.signIn('ann@x.io'))).status).toBe(204);
      let works = false;
      const send = () => (works ? Promise.resolve() : Promise.reject(new Error('No route.')));
      await withTransport(send, async (mute) => {
        await mute.addMember('eve@x.io');
        const eves = await mute.signIn('eve@x.io');
        const request = () => mute.post('request-email-change', { newEmail: 'new@x.io' }, { token: eves });
        expect((await request()).status).toBe(400);
        works = true;
        expect((await request()).status).toBe(204);
        expect((await request()).status).toBe(429);
      });
    });

    it('OPS-39 are mailed to five addresses in ten minutes for one account', async () => {
      await roost.addMember('bob@x.io');
      const [anns, bobs] = [await roost.signIn('ann@x.io'), await roost.signIn('bob@x.io')];
      for (let index = 0; index < 5; index++) expect((await ask(`n${index}@x.io`, anns)).status).toBe(204);
      const refused = await ask('n5@x.io', anns);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '600']);
      expect((await ask('n5@x.io', bobs)).status).toBe(204);
      roost.roost.clock.advance(600_000);
      expect((await ask('n6@x.io', anns)).status).toBe(204);
      expect(roost.mails).toHaveLength(7);
    });

    it('OPS-39 stop guesses of the password, for the client that makes them and its sign-ins', async () => {
      const link = await tokens().issue(ann, 'emailChange', { newEmail: 'new@x.io' });
      for (let guess = 0; guess < 10; guess++) expect((await change(link, 'wrong')).status).toBe(400);
      const refused = await change(link, PASSWORD);
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '180']);
      expect((await login(PASSWORD)).status).toBe(429);
      // Without a good token nothing is compared, so that there is nothing to guess.
      expect((await change(`${link}x`, PASSWORD)).status).toBe(400);
      const elsewhere = await roost.post(
        'confirm-email-change',
        { token: link, password: PASSWORD },
        { remoteAddress: '10.0.0.2' },
      );
      expect(elsewhere.status).toBe(204);
    });

    it('AUTH-403 AUTH-1104 AUTH-1106 may spell the present address differently where case does not count', async () => {
      const token = await roost.signIn('ann@x.io');
      const { indexes } = (await roost.get('/api/collections/members', await roost.superuser())).body as {
        indexes: string[];
      };
      const ignoringCase = indexes.map((index) => index.replace(/\(`?email`?\)/, '(email COLLATE NOCASE)'));
      await roost.configure({ indexes: ignoringCase });
      await roost.addMember('bob@x.io');
      const taken = await roost.post('request-email-change', { newEmail: 'BOB@x.io' }, { token });
      expect(codesOf(taken.body)).toEqual({ newEmail: 'validation_invalid_new_email' });
      expect((await roost.post('request-email-change', { newEmail: 'Ann@x.io' }, { token })).status).toBe(204);
      expect((await change(tokenIn(roost.mails[0]!), PASSWORD)).status).toBe(204);
      expect((await roost.member(ann.id)).get('email')).toBe('Ann@x.io');
    });

    it('AUTH-1104 AUTH-1105 say what is wrong with the token, and doubt the password beside it', async () => {
      const good = await tokens().issue(ann, 'emailChange', { newEmail: 'new@x.io' });
      const both = { password: 'validation_invalid_password' };
      expect(codesOf((await change('rubbish', PASSWORD)).body)).toEqual({
        token: 'validation_invalid_token_payload',
        ...both,
      });
      expect(codesOf((await change(`${good}x`, PASSWORD)).body)).toEqual({
        token: 'validation_invalid_token',
        ...both,
      });
      expect(codesOf((await change(`${good}x`, '')).body)).toEqual({
        token: 'validation_invalid_token',
        password: 'validation_required',
      });
      const elsewhere = await roost.post('/api/collections/others/confirm-email-change', {
        token: good,
        password: PASSWORD,
      });
      expect(codesOf(elsewhere.body)).toEqual({ token: 'validation_token_collection_mismatch', ...both });
      await roost.addMember('new@x.io');
      expect(codesOf((await change(good, PASSWORD)).body)).toEqual({
        token: 'validation_invalid_token_email',
        ...both,
      });
    });

    it('AUTH-1104 work once for requests at the same moment', async () => {
      const [one, other] = await Promise.all(
        ['one@x.io', 'other@x.io'].map((newEmail) => tokens().issue(ann, 'emailChange', { newEmail })),
      );
      const attempts = [one, other, one, other].map((token) => change(token!, PASSWORD));
      expect(await statusesOf(attempts)).toEqual([204, 400, 400, 400]);
    });
  });

  async function confirm(token: string): Promise<[number, string]> {
    const { status, text } = await roost.post('confirm-verification', { token });
    return [status, text];
  }

  function reset(token: string, password: string) {
    return roost.post('confirm-password-reset', { token, password, passwordConfirm: password });
  }

  function change(token: string, password: string) {
    return roost.post('confirm-email-change', { token, password });
  }

  function ask(newEmail: string, token: string) {
    return roost.post('request-email-change', { newEmail }, { token });
  }

  function login(password: string) {
    return roost.post('auth-with-password', { identity: 'ann@x.io', password });
  }

  function tokens(): TokensService {
    return roost.roost.app.get(TokensService, { strict: false });
  }

  async function tokenCode(path: string, token: string): Promise<string | undefined> {
    const { status, body } = await roost.post(path, { token });
    expect(status).toBe(400);
    return codesOf(body)['token'];
  }
});

async function statusesOf(answers: readonly Promise<{ readonly status: number }>[]): Promise<number[]> {
  return (await Promise.all(answers)).map(({ status }) => status).toSorted();
}

async function untilEqual(current: () => number, expected: number): Promise<void> {
  for (let wait = 0; wait < 1000 && current() < expected; wait++) await settle();
  await settle();
}

async function withTransport(send: () => Promise<void>, test: (roost: MemberRoost) => Promise<void>): Promise<void> {
  const replace = [{ provide: MAIL_TRANSPORT, useValue: { send } }];
  const roost = await MemberRoost.start({}, { replace, captureMails: false });
  try {
    await test(roost);
  } finally {
    await roost.close();
  }
}

function codesOf(body: unknown): Record<string, string> {
  const { data } = body as { data: Record<string, { code: string }> };
  return Object.fromEntries(Object.entries(data).map(([key, { code }]) => [key, code]));
}
