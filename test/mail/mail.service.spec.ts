import { beforeEach, describe, expect, it } from 'vitest';
import { HookRegistry } from '../../src/hooks/hook-registry.js';
import { ForbiddenError } from '../../src/kernel/errors/forbidden.error.js';
import type { Collection } from '../../src/kernel/collections/collection.js';
import type { RecordModel } from '../../src/kernel/records/record-model.js';
import type { Mail } from '../../src/mail/mail-transport.js';
import { BeforeMailSend, type MailSendEvent } from '../../src/mail/mail.hooks.js';
import { MailService } from '../../src/mail/mail.service.js';
import { FakeSettings } from '../support/fake-settings.js';

let sent: Mail[];
let settings: FakeSettings;
let hooks: HookRegistry;
let mails: MailService;

beforeEach(() => {
  sent = [];
  settings = new FakeSettings();
  hooks = new HookRegistry();
  mails = new MailService(settings.asService(), hooks, { send: async (mail) => void sent.push(mail) });
});

function onSend(run: (event: MailSendEvent) => unknown, ...collections: string[]): void {
  hooks.add(BeforeMailSend as never, { run, collections, order: 0, label: 'test' });
}

const values: Record<string, unknown> = {
  email: 'ada@example.org',
  name: 'Ada',
  age: 36,
  tags: ['a', 'b'],
  extra: { a: 1 },
  tokenKey: 'k',
};
const user = {
  collection: {
    id: 'pbc_users',
    name: 'users',
    fields: Object.keys(values).map((name) => ({ name, hidden: name === 'tokenKey' })),
    typeOf: () => ({}),
  } as unknown as Collection,
  get: (name: string) => values[name],
} as unknown as RecordModel;

describe('mails of modules', () => {
  it('EXT-23 AUTH-1301 come from the sender of the settings, with a text part and a message id of its domain', async () => {
    await mails.send({ to: 'bob@example.net', subject: 'Hello', html: '<p>Hi <b>Bob</b></p>' });
    expect(sent).toEqual([
      {
        from: { name: 'Support', address: 'support@example.com' },
        to: [{ name: '', address: 'bob@example.net' }],
        cc: [],
        bcc: [],
        replyTo: [],
        headers: {},
        attachments: [],
        subject: 'Hello',
        html: '<p>Hi <b>Bob</b></p>',
        text: 'Hi Bob\n',
        messageId: expect.stringMatching(/^<[a-z0-9]{24}@example\.com>$/),
      },
    ]);
  });

  it('AUTH-1301 the message id names the domain in the letters that a header takes', async () => {
    settings.set({ meta: { ...settings.get().meta, senderAddress: 'support@bücher.example' } });
    await mails.send({ to: 'bob@example.net', subject: 's', text: 't' });
    expect(sent[0]!.messageId).toMatch(/^<[a-z0-9]{24}@xn--bcher-kva\.example>$/);
  });

  it('AUTH-1301 nothing in names or subject can end a header', async () => {
    settings.set({ meta: { ...settings.get().meta, senderName: 'Acme\r\nBcc: eve@example.com' } });
    await mails.send({ to: { name: 'Bob\nX: y', address: 'bob@example.net' }, subject: 'a\r\n\r\nb\0', text: 'x' });
    expect(sent[0]).toMatchObject({
      from: { name: 'Acme Bcc: eve@example.com' },
      to: [{ name: 'Bob X: y' }],
      subject: 'a b',
    });
  });

  it.each(['', 'bob', 'a@b\r\nBcc: eve@example.com', 'a@x.example, b@x.example', '<a@b.c>', 'a@b@c', 'Bob <a@b.c>'])(
    'AUTH-1301 %j is not one recipient',
    async (to) => {
      await expect(mails.send({ to, subject: 's', text: 't' })).rejects.toThrow('address');
      expect(sent).toEqual([]);
    },
  );
});

describe('mails from templates', () => {
  const template = { subject: 'For {RECORD:name} of {APP_NAME}', body: '<p>{APP_URL}/x {TOKEN} {RECORD:email}</p>' };

  it('AUTH-1304 know application, record and what comes with them', async () => {
    settings.set({ meta: { ...settings.get().meta, appURL: 'https://app.example/' } });
    await mails.sendTemplate({ template, record: user, values: { TOKEN: 'jwt' } });
    expect(sent[0].subject).toBe('For Ada of Acme');
    expect(sent[0].text).toBe('https://app.example/x jwt ada@example.org\n');
    expect(sent[0]!.to[0]!.address).toBe('ada@example.org');
    await mails.sendTemplate({ to: 'new@example.org', template, record: user });
    expect(sent[1]!.to[0]!.address).toBe('new@example.org');
    expect(sent[1].html).toContain('{TOKEN}');
  });

  it('AUTH-1304 show values of any type and no hidden field', async () => {
    const body = '{RECORD:age}|{RECORD:tags}|{RECORD:extra}|{RECORD:tokenKey}';
    await mails.sendTemplate({ template: { subject: body, body }, record: user });
    expect(sent[0].subject).toBe('36|a, b|{"a":1}|{RECORD:tokenKey}');
  });
});

describe('BeforeMailSend', () => {
  it('EXT-31 may change a mail, and cannot break its headers', async () => {
    onSend((event) => {
      event.subject += '\r\nX: changed';
      event.to = [{ name: '', address: 'other@example.net' }];
    });
    await mails.send({ to: 'bob@example.net', subject: 'Hello', text: 'x' });
    expect(sent[0]).toMatchObject({ subject: 'Hello X: changed', to: [{ address: 'other@example.net' }] });
  });

  it('EXT-31 may refuse it', async () => {
    onSend(() => {
      throw new ForbiddenError('No mails today.');
    });
    await expect(mails.send({ to: 'bob@example.net', subject: 's', text: 'x' })).rejects.toThrow('No mails today.');
    expect(sent).toEqual([]);
  });

  it('EXT-31 can be bound to the collection the mail is about', async () => {
    const seen: unknown[] = [];
    onSend((event) => seen.push(event.record), 'users');
    await mails.send({ to: 'bob@example.net', subject: 's', text: 'x' });
    await mails.sendTemplate({ template: { subject: '', body: '' }, record: user });
    expect(seen).toEqual([user]);
  });
});
