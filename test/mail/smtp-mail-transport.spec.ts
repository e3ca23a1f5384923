import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Mail } from '../../src/mail/mail-transport.js';
import { SmtpMailTransport } from '../../src/mail/smtp-mail-transport.js';
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.js';
import { SmtpSink } from '../support/smtp-sink.js';

const MAIL: Mail = {
  from: { name: 'Süpport "Team"', address: 'support@example.com' },
  to: [{ name: '', address: 'ada@example.org' }],
  cc: [],
  bcc: [],
  replyTo: [],
  headers: {},
  attachments: [],
  subject: 'Grüße',
  html: '<p>Hällo</p>',
  text: 'Hällo\n',
  messageId: '<abc@example.com>',
};

const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

async function sink(...options: Parameters<typeof SmtpSink.open>): Promise<SmtpSink> {
  const opened = await SmtpSink.open(...options);
  cleanUps.push(() => opened.close());
  return opened;
}

function send(port: number, smtp: Partial<Settings['smtp']> = {}, mail = MAIL, timeout?: number): Promise<void> {
  const settings = { ...DEFAULT_SETTINGS.smtp, enabled: true, host: '127.0.0.1', port, ...smtp };
  return new SmtpMailTransport(settings, timeout).send(mail);
}

describe('delivery', () => {
  it('AUTH-1307 delivers to a local sink without TLS and credentials', async () => {
    const server = await sink({ hideSTARTTLS: true });
    await send(server.port);
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({ from: 'support@example.com', to: ['ada@example.org'], secure: false });
  });

  it('AUTH-1301 carries sender, subject, both parts and the message id, all of it UTF-8', async () => {
    const server = await sink();
    await send(server.port);
    const { raw } = server.mails[0];
    expect(raw).toContain('Message-ID: <abc@example.com>');
    expect(raw).toMatch(/^From: =\?UTF-8\?[BQ]\?.*<support@example\.com>/m);
    expect(raw).toMatch(/^To: ada@example\.org\r$/m);
    expect(raw).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(raw).toMatch(/Content-Type: multipart\/alternative/);
    expect(raw.match(/charset=utf-8/g)).toHaveLength(2);
    expect(raw.indexOf('text/plain')).toBeLessThan(raw.indexOf('text/html'));
  });

  it('AUTH-1302 uses TLS from the start when it is demanded', async () => {
    const server = await sink({ secure: true });
    await send(server.port, { tls: true });
    expect(server.mails[0].secure).toBe(true);
    await expect(send((await sink({ hideSTARTTLS: true })).port, { tls: true }, MAIL, 2000)).rejects.toThrow();
  });

  it('AUTH-1302 uses STARTTLS when it is offered', async () => {
    const server = await sink();
    await send(server.port);
    expect(server.mails[0].secure).toBe(true);
  });

  it('AUTH-1302 says its local name, localhost when none is set', async () => {
    const server = await sink();
    await send(server.port, { localName: 'mail.example.com' });
    await send(server.port);
    expect(server.mails.map((mail) => mail.helloName)).toEqual(['mail.example.com', 'localhost']);
  });
});

describe('credentials', () => {
  const credentials = { username: 'roost', password: 'secret' };

  it('AUTH-1302 signs in by PLAIN unless LOGIN is set', async () => {
    const server = await sink({ authMethods: ['LOGIN', 'PLAIN'] });
    await send(server.port, credentials);
    await send(server.port, { ...credentials, authMethod: 'LOGIN' });
    await send(server.port, { ...credentials, authMethod: 'PLAIN' });
    expect(server.mails.map((mail) => [mail.authMethod, mail.user])).toEqual([
      ['PLAIN', 'roost'],
      ['LOGIN', 'roost'],
      ['PLAIN', 'roost'],
    ]);
  });

  it.each([
    ['only a user name', { username: 'key-of-a-service', password: '' }, ['', 'PLAIN', 'LOGIN']],
    // The server of these tests takes no LOGIN without a user name.
    ['only a password', { username: '', password: 'key-of-a-service' }, ['', 'PLAIN']],
  ] as const)('AUTH-1302 signs in with %s', async (_name, key, methods) => {
    const told: unknown[] = [];
    const server = await sink({
      authMethods: ['LOGIN', 'PLAIN'],
      authOptional: false,
      onAuth: ({ method, username, password }, _session, done) => {
        told.push({ method, username, password });
        done(null, { user: 'somebody' });
      },
    });
    const refusing = await sink({ authMethods: ['LOGIN', 'PLAIN'] });
    for (const authMethod of methods) {
      await send(server.port, { ...key, authMethod });
      const refused = send(refusing.port, { ...key, authMethod });
      await expect(refused).rejects.toThrow('Wrong user name or password');
    }
    expect(told).toEqual(methods.map((method) => ({ method: method || 'PLAIN', ...key })));
    expect([server.mails.length, refusing.mails.length]).toEqual([methods.length, 0]);
  });

  it('AUTH-1302 a refused login fails with the reason of the server', async () => {
    const server = await sink();
    await expect(send(server.port, { username: 'roost', password: 'wrong' })).rejects.toThrow(
      'Wrong user name or password',
    );
    expect(server.mails).toEqual([]);
  });

  it('AUTH-1302 sends credentials in clear to this machine only', async () => {
    const plain = { hideSTARTTLS: true, allowInsecureAuth: true };
    const local = await sink(plain);
    await send(local.port, credentials);
    expect(local.logins).toEqual([{ method: 'PLAIN', secure: false }]);
    const elsewhere = await sink(plain, '127.0.0.2');
    await expect(send(elsewhere.port, { ...credentials, host: '127.0.0.2' })).rejects.toThrow();
    await expect(send(elsewhere.port, { password: 'secret', host: '127.0.0.2' })).rejects.toThrow();
    expect(elsewhere.logins).toEqual([]);
    expect(elsewhere.mails).toEqual([]);
    await send(elsewhere.port, { host: '127.0.0.2' });
    expect(elsewhere.mails).toHaveLength(1);
  });

  it('AUTH-1302 does not tell a server its credentials whose certificate proves nothing', async () => {
    const server = await sink({}, '127.0.0.2');
    await expect(send(server.port, { ...credentials, host: '127.0.0.2' })).rejects.toThrow(/certificate/i);
    const secure = await sink({ secure: true }, '127.0.0.2');
    await expect(send(secure.port, { ...credentials, host: '127.0.0.2', tls: true })).rejects.toThrow(/certificate/i);
    expect([...server.logins, ...secure.logins]).toEqual([]);
  });
});

describe('servers that do not work', () => {
  it('AUTH-1302 a server that never greets is given up after the timeout', async () => {
    const silent: Server = createServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    cleanUps.push(() => silent.close());
    // Without a greeting and without a byte at all: both times are over at once.
    await expect(send((silent.address() as AddressInfo).port, {}, MAIL, 200)).rejects.toThrow(/greeting|timeout/i);
  });

  it('AUTH-1302 a server that falls silent in the middle is given up after the timeout', async () => {
    const server = await sink({ hideSTARTTLS: true, onMailFrom: () => {} });
    await expect(send(server.port, {}, MAIL, 200)).rejects.toThrow(/timeout/i);
  });

  it('AUTH-1302 a port nobody listens on fails with the reason', async () => {
    const server = await SmtpSink.open();
    const { port } = server;
    await server.close();
    await expect(send(port)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('AUTH-1306 a recipient that is refused fails with the reason of the server', async () => {
    const server = await sink({ onRcptTo: (_address, _session, done) => done(new Error('Mailbox is full')) });
    await expect(send(server.port)).rejects.toThrow('Mailbox is full');
  });
});
