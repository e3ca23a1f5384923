import type { Settings } from '../settings/settings.js';
import { partialCredentialAuth } from './partial-credentials.js';
import type { Mail, MailTransport } from './mail-transport.js';
import { toMimeMessage } from './mime-message.js';

/** AUTH-1302. */
const TIMEOUT = 15_000;

/** Hosts on this machine. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** Delivers through the SMTP server of the settings, over a connection of its own for each mail. */
export class SmtpMailTransport implements MailTransport {
  constructor(
    private readonly smtp: Settings['smtp'],
    private readonly timeout: number = TIMEOUT,
  ) {}

  async send(mail: Mail): Promise<void> {
    // Loaded with the first mail, because servers without mails need no memory for it.
    const { default: nodemailer } = await import('nodemailer');
    const { host, port, username, password, authMethod, tls, localName } = this.smtp;
    const hasCredentials = username !== '' || password !== '';
    const isLocal = LOCAL_HOSTS.has(host.toLowerCase());
    const guardsSecrets = hasCredentials && !isLocal;
    const transport = nodemailer.createTransport({
      host,
      port,
      name: localName || 'localhost',
      secure: tls,
      // Otherwise a server without STARTTLS, or somebody in between, would get the password in clear.
      requireTLS: guardsSecrets,
      // The certificate is checked where a secret has to be protected. With mere opportunistic STARTTLS, a bad
      // certificate would otherwise lose mails that are delivered without encryption.
      tls: { rejectUnauthorized: guardsSecrets || (tls && !isLocal) },
      auth: hasCredentials ? { user: username, pass: password } : undefined,
      authMethod: authMethod || 'PLAIN',
      customAuth: username === '' || password === '' ? partialCredentialAuth(username, password) : undefined,
      connectionTimeout: this.timeout,
      greetingTimeout: this.timeout,
      socketTimeout: this.timeout,
      dnsTimeout: this.timeout,
    });
    try {
      await transport.sendMail(toMimeMessage(mail));
    } finally {
      transport.close();
    }
  }
}
