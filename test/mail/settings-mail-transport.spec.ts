import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RoostConfig } from '../../src/config/roost-config.js';
import type { Mail } from '../../src/mail/mail-transport.js';
import { SendmailMailTransport } from '../../src/mail/sendmail-mail-transport.js';
import { SettingsMailTransport } from '../../src/mail/settings-mail-transport.js';
import { FakeSettings } from '../support/fake-settings.js';
import { SmtpSink } from '../support/smtp-sink.js';

const MAIL: Mail = {
  from: { name: 'Support', address: 'support@example.com' },
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

describe('the sendmail program', () => {
  let dir: string;
  let program: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-sendmail-'));
    program = join(dir, 'sendmail');
  });

  afterEach(() => rm(dir, { recursive: true, force: true }));

  async function install(script: string): Promise<void> {
    await writeFile(program, `#!/bin/sh\n${script}\n`);
    await chmod(program, 0o755);
  }

  it('AUTH-1303 gets the message and finds the recipient in it', async () => {
    await install(`echo "$@" > ${dir}/args; cat > ${dir}/message`);
    await new SendmailMailTransport([join(dir, 'absent'), program]).send(MAIL);
    expect(await readFile(join(dir, 'args'), 'utf8')).toBe('-i -t\n');
    const message = await readFile(join(dir, 'message'), 'utf8');
    expect(message).toMatch(/^To: ada@example\.org$/m);
    expect(message).toMatch(/^From: Support <support@example\.com>$/m);
    expect(message).not.toContain('\r');
  });

  it('EXT-28 AUTH-1303 finds those who are not to be seen in it too', async () => {
    await install(`cat > ${dir}/message`);
    await new SendmailMailTransport([program]).send({ ...MAIL, bcc: [{ name: '', address: 'dan@example.org' }] });
    expect(await readFile(join(dir, 'message'), 'utf8')).toMatch(/^Bcc: dan@example\.org$/m);
  });

  it('AUTH-1303 fails with its reason, also when it does not read', async () => {
    await install('echo "queue is full" >&2; exit 75');
    const large = { ...MAIL, text: 'x'.repeat(2_000_000) };
    await expect(new SendmailMailTransport([program]).send(large)).rejects.toThrow(/exit code 75.*queue is full/);
  });

  it('AUTH-1303 is ended when it hangs', async () => {
    await install('exec sleep 60');
    await expect(new SendmailMailTransport([program], 100).send(MAIL)).rejects.toThrow('SIGTERM');
  });

  it('AUTH-1303 not having any is a failure that says so', async () => {
    await expect(new SendmailMailTransport([program]).send(MAIL)).rejects.toThrow('No sendmail program');
    await expect(new SendmailMailTransport([program, 'roost-no-such-program']).send(MAIL)).rejects.toThrow(
      'No sendmail program',
    );
  });
});

describe('the transport in force', () => {
  let sink: SmtpSink;
  let settings: FakeSettings;
  const transport = (dev: boolean) => new SettingsMailTransport(settings.asService(), { dev } as RoostConfig);

  beforeEach(async () => {
    sink = await SmtpSink.open();
    settings = new FakeSettings();
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await sink.close();
  });

  it('AUTH-1302 is the one of the settings at the time of sending', async () => {
    const target = transport(false);
    settings.set({ smtp: { ...settings.get().smtp, enabled: true, host: '127.0.0.1', port: 1 } });
    await expect(target.send(MAIL)).rejects.toThrow();
    settings.set({ smtp: { ...settings.get().smtp, port: sink.port } });
    await target.send(MAIL);
    expect(sink.mails).toHaveLength(1);
  });

  it('AUTH-1303 in development prints every mail, and delivers it when SMTP is on', async () => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    await transport(true).send(MAIL);
    const [printed] = print.mock.calls[0] as [string];
    for (const part of ['support@example.com', 'ada@example.org', 'Grüße', '<p>Hällo</p>'])
      expect(printed).toContain(part);
    settings.set({ smtp: { ...settings.get().smtp, enabled: true, host: '127.0.0.1', port: sink.port } });
    await transport(true).send(MAIL);
    expect(print).toHaveBeenCalledTimes(2);
    expect(sink.mails).toHaveLength(1);
    await transport(false).send(MAIL);
    expect(print).toHaveBeenCalledTimes(2);
  });

  it('OPS-88 AUTH-1303 in development prints no control character that somebody put into a name', async () => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {});
    const evil = '\u001b[31mEve\u0007\u009b2J\u202e';
    const from = { name: evil, address: 'eve@example.org' };
    await transport(true).send({ ...MAIL, from, subject: evil, text: `Hi ${evil}\nBye`, html: `<p>${evil}</p>` });
    const [printed] = print.mock.calls[0] as [string];
    expect(printed).toContain('Hi \\u001b[31mEve\\u0007\\u009b2J\\u202e\nBye');
    // oxlint-disable-next-line no-control-regex -- they are what must not be there
    expect(printed).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
  });
});
