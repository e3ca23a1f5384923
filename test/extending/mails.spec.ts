import { Injectable, Module } from '@nestjs/common';
import {
  AfterRecordCreate,
  BeforeMailSend,
  ForbiddenError,
  type MailMessage,
  MailModule,
  type MailSendEvent,
  MailService,
  type RecordCreatedEvent,
  SettingsService,
} from 'roost';
import type { TestRoost } from 'roost/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRoost } from '../support/roost.js';
import { type ReceivedMail, SmtpSink } from '../support/smtp-sink.js';

const MEMBERS = {
  name: 'members',
  type: 'auth',
  createRule: '',
  passwordAuth: { enabled: true, identityFields: ['email'] },
  otp: { enabled: true },
};

let seen: { kind: string; record: string | undefined }[];

@Injectable()
class Mails {
  constructor(private readonly mail: MailService) {}

  @BeforeMailSend()
  look(event: MailSendEvent): void {
    seen.push({ kind: event.kind, record: event.record?.id });
    if (event.subject === 'forbidden') throw new ForbiddenError('Not this one.');
    if (event.kind !== 'invoice') return;
    event.headers = { ...event.headers, 'X-Seen': 'yes\r\nBcc: eve@example.com' };
    event.bcc = [...event.bcc, { name: '', address: 'archive@example.com' }];
  }

  @AfterRecordCreate('members')
  async welcome({ record }: RecordCreatedEvent): Promise<void> {
    const to = String(record.get('email'));
    await this.mail.send({ to, subject: 'Welcome', text: 'Hi', kind: 'invoice', record });
  }
}

@Module({ imports: [MailModule], providers: [Mails] })
class MailsModule {}

describe('mails of modules', () => {
  let sink: SmtpSink;
  let roost: TestRoost;

  const send = (message: Partial<MailMessage>) =>
    roost.app.get(MailService, { strict: false }).send({ to: 'ann@example.com', subject: 'Hello', ...message });

  beforeAll(async () => {
    sink = await SmtpSink.open({ hideSTARTTLS: true });
    roost = await startRoost({ imports: [MailsModule], captureMails: false });
    await roost.createCollections(MEMBERS);
    const smtp = { enabled: true, host: '127.0.0.1', port: sink.port };
    await roost.app.get(SettingsService).patch({ smtp });
  });
  afterAll(async () => {
    await roost.close();
    await sink.close();
  });

  beforeEach(() => {
    seen = [];
    sink.mails.length = 0;
  });

  it('EXT-28 go to several people, in copy and in secret, with reply-to, headers and attachments', async () => {
    await send({
      to: ['ann@example.com', { name: 'Bob, the "B"', address: 'bob@example.com' }],
      cc: 'cy@example.com',
      bcc: ['dan@example.com'],
      replyTo: 'desk@example.com',
      from: { name: 'Shop', address: 'shop@example.com' },
      html: '<p>Your order <img src="cid:logo"></p>',
      headers: { 'List-Unsubscribe': '<https://shop.example/leave>', 'In-Reply-To': '<1@example.com>' },
      attachments: [
        { name: 'invoice.pdf', content: Buffer.from('%PDF-1.7') },
        { name: 'rows.csv', content: 'a,b' },
        { name: 'logo.png', content: new Blob(['png']), type: 'image/png', cid: 'logo' },
      ],
    });
    const { from, to, raw } = sink.mails[0]!;
    expect([from, to]).toEqual([
      'shop@example.com',
      ['ann@example.com', 'bob@example.com', 'cy@example.com', 'dan@example.com'],
    ]);
    expect(header(raw, 'To')).toBe('ann@example.com, "Bob, the \\"B\\"" <bob@example.com>');
    expect(header(raw, 'Cc')).toBe('cy@example.com');
    expect(raw).not.toContain('dan@example.com');
    expect(header(raw, 'Reply-To')).toBe('desk@example.com');
    expect(header(raw, 'List-Unsubscribe')).toBe('<https://shop.example/leave>');
    expect(header(raw, 'In-Reply-To')).toBe('<1@example.com>');
    expect(raw).toMatch(/Content-Type: application\/pdf; name=invoice\.pdf/);
    expect(raw).toContain(Buffer.from('%PDF-1.7').toString('base64'));
    expect(raw).toMatch(/Content-Type: text\/csv; name=rows\.csv/);
    expect(raw).toMatch(/Content-Id: <logo>/i);
  });

  it('EXT-28 are plain text where there is no HTML, and need somebody to go to', async () => {
    await send({ text: 'Only text.' });
    expect(header(sink.mails[0]!.raw, 'Content-Type')).toMatch(/^text\/plain/);
    expect(sink.mails[0]!.raw).not.toContain('multipart');
    await send({ to: [], bcc: 'dan@example.com', text: 'x' });
    expect(sink.mails[1]!.to).toEqual(['dan@example.com']);
    await expect(send({ to: [], text: 'x' })).rejects.toThrow('address');
    expect(sink.mails).toHaveLength(2);
  });

  it.each<[string, Partial<MailMessage>]>([
    ['two addresses in one', { to: 'ann@example.com, eve@example.com' }],
    ['a line break in an address', { cc: 'ann@example.com\r\nBcc: eve@example.com' }],
    ['one in a bcc', { bcc: ['ann@example.com\nX: y'] }],
    ['one in a reply-to', { replyTo: { name: '', address: 'a@example.com>\r\nX: y' } }],
    ['a zero byte in an address', { to: 'ann\0@example.com' }],
    ['a line break in the name of a header', { headers: { 'X-A: b\r\nBcc': 'eve@example.com' } }],
    ['a colon in the name of a header', { headers: { 'Bcc:': 'eve@example.com' } }],
    ['recipients by a header', { headers: { bcc: 'eve@example.com' } }],
    ['recipients of a mail sent again', { headers: { 'Resent-To': 'eve@example.com' } }],
    ['another structure', { headers: { 'Content-Type': 'multipart/mixed; boundary=x' } }],
    ['a type that is more headers', { attachments: [{ name: 'a', content: 'x', type: 'text/html\r\nX: y' }] }],
    ['a type that is more parts', { attachments: [{ name: 'a', content: 'x', type: 'multipart/mixed' }] }],
    ['a picture whose name is more headers', { attachments: [{ name: 'a', content: 'x', cid: 'a>\r\nX: y' }] }],
  ])('EXT-28 %s is refused', async (_what, message) => {
    await expect(send({ text: 'x', ...message })).rejects.toThrow();
    expect(sink.mails).toEqual([]);
  });

  it('EXT-28 values stay in their header whatever is in them', async () => {
    const evil = 'a\r\nX-Evil: yes\r\n\r\nbody\u2028\0';
    await send({
      to: { name: evil, address: 'ann@example.com' },
      replyTo: { name: evil, address: 'desk@example.com' },
      subject: evil,
      text: 'x',
      headers: { 'X-Note': evil },
      attachments: [{ name: `${evil}.txt`, content: 'x' }],
    });
    const [mail] = sink.mails as [ReceivedMail];
    expect(mail.to).toEqual(['ann@example.com']);
    expect(mail.raw).not.toMatch(/^(X-Evil|body)/im);
    expect(header(mail.raw, 'X-Note')).toBe('a X-Evil: yes body');
  });

  it('EXT-28 tell hooks their kind and their record, as those of Roost do', async () => {
    const body = { email: 'ann@example.com', password: '1234567890', passwordConfirm: '1234567890' };
    const { body: ann } = await roost.inject({ url: '/api/collections/members/records', body });
    expect(seen).toEqual([{ kind: 'invoice', record: ann.id }]);
    expect(sink.mails[0]!.to).toEqual(['ann@example.com', 'archive@example.com']);
    expect(header(sink.mails[0]!.raw, 'X-Seen')).toBe('yes Bcc: eve@example.com');
    const token = await roost.createSuperuser();
    for (const template of ['verification', 'password-reset', 'email-change', 'otp', 'login-alert']) {
      const test = { email: 'me@example.com', template, collection: 'members' };
      expect((await roost.inject({ url: '/api/settings/test/email', token, body: test })).status).toBe(204);
    }
    await send({ text: 'x' });
    expect(seen.slice(1).map(({ kind }) => kind)).toEqual([
      'verification',
      'passwordReset',
      'emailChange',
      'otp',
      'alert',
      'own',
    ]);
    await expect(send({ subject: 'forbidden', text: 'x' })).rejects.toThrow('Not this one.');
    expect(sink.mails).toHaveLength(7);
  });
});

/** A header of a mail, unfolded; undefined when it has none of this name before its body. */
function header(raw: string, name: string): string | undefined {
  const head = raw.slice(0, raw.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
}
