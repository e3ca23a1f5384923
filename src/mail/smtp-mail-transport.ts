import type { Settings } from '../settings/settings.js';
import { partialCredentialAuth } from './partial-credentials.js';
import type { Mail, MailTransport } from './mail-transport.js';
import { toMimeMessage } from './mime-message.js';

/** AUTH-1302. */
const TIMEOUT = 15_000;

/** Hosts to which the way is inside this machine. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** Delivers through the SMTP server of the settings, over a connection of its own for each mail. */
export class SmtpMailTransport implements MailTransport {
  constructor(
    private readonly smtp: Settings['smtp'],
    private readonly timeout: number = TIMEOUT,
  ) {}

  async send(mail: Mail): Promise<void> {
    // Loaded with the first mail: it takes memory that a server without mails can do without.
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
      // Without it a server, or somebody in between, that offers no STARTTLS would be told the password in clear.
      requireTLS: guardsSecrets,
      // A certificate protects what has to stay secret. STARTTLS that is merely offered would otherwise lose mails
      // over a certificate where no encryption at all delivers them.
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
