import type { SendMailOptions } from 'nodemailer';
import type { AttachedFile, Mail, MailAddress } from './mail-transport.js';

/** A mail as nodemailer takes it. Whatever it says, nodemailer reads no file and fetches no URL for it. */
export function toMimeMessage(mail: Mail): SendMailOptions {
  return {
    from: { ...mail.from },
    to: copies(mail.to),
    cc: copies(mail.cc),
    bcc: copies(mail.bcc),
    replyTo: copies(mail.replyTo),
    headers: { ...mail.headers },
    attachments: mail.attachments.map(toPart),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: mail.messageId,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function copies(people: readonly MailAddress[]): MailAddress[] {
  return people.map((person) => ({ ...person }));
}

function toPart({ name, content, type, cid }: AttachedFile): NonNullable<SendMailOptions['attachments']>[number] {
  const part = { filename: name, content: Buffer.from(content), contentType: type || undefined };
  return cid === '' ? part : { ...part, cid, contentDisposition: 'inline' };
}
