import type { SendMailOptions } from 'nodemailer';
import type { Mail } from './mail-transport.js';

/** A mail as nodemailer takes it. Whatever it says, nodemailer reads no file and fetches no URL for it. */
export function toMimeMessage(mail: Mail): SendMailOptions {
  return {
    from: { ...mail.from },
    to: { ...mail.to },
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: mail.messageId,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
