import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

/** A mail as it went over the wire. */
export interface ReceivedMail {
  readonly raw: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly authMethod: string | undefined;
  readonly secure: boolean;
  readonly helloName: string;
}

/** A mail server on loopback that keeps what it gets. */
export class SmtpSink {
  readonly mails: ReceivedMail[] = [];
  readonly logins: { readonly method: string; readonly secure: boolean }[] = [];
  private readonly server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    const known = new WeakMap<SMTPServerSession, string>();
    this.server = new SMTPServer({
      authOptional: true,
      disableReverseLookup: true,
      logger: false,
      onAuth: (auth, session, done) => {
        known.set(session, auth.method);
        this.logins.push({ method: auth.method, secure: session.secure });
        if (auth.username === 'roost' && auth.password === 'secret') done(null, { user: auth.username });
        else done(new Error('Wrong user name or password'));
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push({
            raw: Buffer.concat(chunks).toString('utf8'),
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map((recipient) => recipient.address),
            user: session.user as string | undefined,
            authMethod: known.get(session),
            secure: session.secure,
            helloName: session.hostNameAppearsAs as string,
          });
          done();
        });
      },
      ...options,
    });
    this.server.on('error', () => {});
  }

  static async open(options: SMTPServerOptions = {}, host = '127.0.0.1'): Promise<SmtpSink> {
    const sink = new SmtpSink(options);
    sink.server.listen(0, host);
    await once(sink.server.server, 'listening');
    return sink;
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
