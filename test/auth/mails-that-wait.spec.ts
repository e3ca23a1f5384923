import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AuthMails } from '../../src/auth/emails/auth-mails.js';
import { BackgroundMails } from '../../src/auth/emails/background-mails.js';
import { Caller } from '../../src/kernel/records/caller.js';
import { type Mail, MAIL_TRANSPORT } from '../../src/mail/mail-transport.js';
import { MemberRoost } from './support/member-roost.js';
import { eventually } from '../support/eventually.js';

const CROWD = '10.0.0.1';

/** As many as are on their way at a time and wait of one client. */
const ROOM = 20 + 100;

describe('mails beside a mail server that hangs', () => {
  let roost: MemberRoost;
  let answer: () => void;
  const sent: string[] = [];

  beforeEach(async () => {
    sent.length = 0;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const send = async ({ to, subject }: Mail): Promise<void> => {
      await answered;
      sent.push(`${subject.split(' ')[0]} ${to[0]!.address}`);
    };
    const replace = [{ provide: MAIL_TRANSPORT, useValue: { send } }];
    roost = await MemberRoost.start({}, { replace, captureMails: false });
  });
  afterEach(async () => {
    answer();
    await roost.close();
    vi.restoreAllMocks();
  });

  it('OPS-39 AUTH-1101 wait up to a limit for each client; what is beyond is logged, and may be asked for again', async () => {
    const refused = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const emails = Array.from({ length: ROOM + 2 }, (_, index) => `m${index}@x.io`);
    await Promise.all(emails.map((email) => roost.addMember(email)));
    const token = await roost.signIn('m0@x.io');
    const reset = async (email: string) =>
      expect((await roost.post('request-password-reset', { email }, { remoteAddress: CROWD })).status).toBe(204);

    await Promise.all(emails.map((email) => reset(email)));
    const { failures } = roost.roost.app.get(BackgroundMails, { strict: false });
    await eventually(() => {
      failures.tellAll();
      expect(refused).toHaveBeenCalledTimes(2);
    });
    expect(refused.mock.calls[0]![0]).toContain('The password reset mail could not be sent: TooManyRequestsError');
    const change = await roost.post('request-email-change', { newEmail: 'new@x.io' }, { token, remoteAddress: CROWD });
    expect(change).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      body: { message: 'Too many mails wait to be sent, try again later.', data: {} },
    });
    answer();
    await eventually(() => expect(sent).toHaveLength(ROOM));

    await Promise.all(emails.map((email) => reset(email)));
    await eventually(() => expect(sent).toHaveLength(emails.length));
    failures.tellAll();
    expect(refused).toHaveBeenCalledTimes(2);
  });

  it('OPS-39 AUTH-705 leave room for those of another client, and for the alert of a sign-in', async () => {
    const mails = roost.roost.app.get(AuthMails, { strict: false });
    const ann = await roost.addMember('ann@x.io');
    const caller = new Caller(null, undefined, CROWD);
    const waiting = Array.from({ length: ROOM }, () => mails.sendPasswordReset(ann, caller));
    await expect(mails.sendPasswordReset(ann, caller)).rejects.toMatchObject({ status: 429 });
    waiting.push(mails.sendPasswordReset(ann, new Caller(null, undefined, '10.0.0.2')));
    waiting.push(mails.sendAlert(ann, 'elsewhere'));
    answer();
    await Promise.all(waiting);
    expect(sent).toHaveLength(ROOM + 2);
    expect(sent.filter((mail) => !mail.startsWith('Choose'))).toHaveLength(1);
  });

  it('OPS-39 do not wait for large accounts, which would be kept in memory', async () => {
    await roost.configure({ fields: [{ name: 'about', type: 'editor' }] });
    const mails = roost.roost.app.get(AuthMails, { strict: false });
    const large = await roost.addMember('large@x.io', { about: 'x'.repeat(70_000) });
    const small = await roost.addMember('small@x.io');
    const caller = new Caller(null, undefined, CROWD);
    const running = Array.from({ length: 20 }, () => mails.sendPasswordReset(large, caller));
    await eventually(() => expect(mails.isBusy).toBe(true));
    await expect(mails.sendPasswordReset(large, caller)).rejects.toMatchObject({ status: 429 });
    running.push(mails.sendPasswordReset(small, caller));
    answer();
    await Promise.all(running);
    expect(sent).toHaveLength(21);
  });
});
