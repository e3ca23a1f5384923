import { type ChildProcess, spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import type { Mail, MailTransport } from './mail-transport.js';
import { toMimeMessage } from './mime-message.js';

/** Where the program is looked for; a bare name means the PATH. */
const PROGRAMS = ['/usr/sbin/sendmail', '/usr/bin/sendmail', 'sendmail'];

const TIMEOUT = 30_000;

/** Hands mails to the machine's own `sendmail` program (AUTH-1303). */
export class SendmailMailTransport implements MailTransport {
  constructor(
    private readonly programs: readonly string[] = PROGRAMS,
    private readonly timeout: number = TIMEOUT,
  ) {}

  async send(mail: Mail): Promise<void> {
    const { default: nodemailer } = await import('nodemailer');
    const composer = nodemailer.createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
    const { message } = await composer.sendMail(toMimeMessage(mail));
    // The recipients stand in the message alone (-t), Bcc among them, which the program takes out: some programs take
    // one that is also an argument off the list.
    const child = spawn(await this.findProgram(), ['-i', '-t'], {
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: this.timeout,
    });
    await delivered(child, message as Buffer);
  }

  private async findProgram(): Promise<string> {
    for (const program of this.programs) {
      if (!program.includes('/')) return program;
      const isThere = await access(program, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return program;
    }
    throw new Error('No sendmail program was found and SMTP is not enabled.');
  }
}

function delivered(child: ChildProcess, message: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < 1000) complaint += text;
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT';
      reject(missing ? new Error('No sendmail program was found and SMTP is not enabled.', { cause: error }) : error);
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`sendmail failed (${signal ?? `exit code ${code}`}): ${complaint.trim()}`));
    });
    // When the program ends without reading, its exit code says why.
    child.stdin!.on('error', () => {});
    child.stdin!.end(message);
  });
}
