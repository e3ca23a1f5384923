import { domainToASCII } from 'node:url';
import { LOWER_ALPHANUMERIC, randomText } from '../kernel/ids.js';
import type { AttachedFile, Mail, MailAddress, MailAttachment } from './mail-transport.js';
import type { MailSendEvent } from './mail.hooks.js';

/** What one address may look like. More than one, or anything that could end a header, does not fit. */
// oxlint-disable-next-line no-control-regex
const ADDRESS = /^[^\s<>()[\]\\,;:"@\x00-\x1f\x7f]+@[^\s<>()[\]\\,;:"@\x00-\x1f\x7f]+$/;

/** A header's name (RFC 5322 allows a little more, programs on the way do not). */
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

/** Headers that have a property of their own, or that decide who gets the mail or how it is read. */
const OWN_HEADER =
  /^(from|sender|to|cc|bcc|reply-to|return-path|subject|message-id|mime-version|content-.*|resent-.*|apparently-to|delivered-to)$/i;

/** Types multipart and message are refused, because such a part would be read as further mails. */
const MEDIA_TYPE = /^(?!multipart\/|message\/)[\w.+-]+\/[\w.+-]+$/i;

const CONTENT_ID = /^[\w.+@-]+$/;

/**
 * The mail with all values in a safe form. Throws for what cannot be sent safely, such as an address with a line break.
 */
export async function sanitizeMail(event: MailSendEvent): Promise<Mail> {
  const { subject, html, text } = event;
  const from = sealAddress(event.from);
  const people = {
    to: event.to.map(sealAddress),
    cc: event.cc.map(sealAddress),
    bcc: event.bcc.map(sealAddress),
    replyTo: event.replyTo.map(sealAddress),
  };
  if (people.to.length + people.cc.length + people.bcc.length === 0)
    throw new Error('A mail needs an address to go to.');
  return {
    from,
    ...people,
    subject: oneLine(subject),
    html,
    text,
    headers: sealHeaders(event.headers),
    attachments: await Promise.all(event.attachments.map(sealAttachment)),
    messageId: `<${randomText(24, LOWER_ALPHANUMERIC)}@${asciiDomainOf(from)}>`,
  };
}

/** As the address itself is written on the wire: a header that is not encoded takes ASCII only. */
function asciiDomainOf({ address }: MailAddress): string {
  const domain = address.split('@')[1]!;
  return domainToASCII(domain) || domain;
}

function sealAddress({ name, address }: MailAddress): MailAddress {
  if (!ADDRESS.test(address)) throw new Error(`${JSON.stringify(address)} is not one valid address.`);
  return { name: oneLine(name), address };
}

function sealHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => {
    if (!HEADER_NAME.test(name)) throw new Error(`${JSON.stringify(name)} cannot be the name of a header.`);
    if (OWN_HEADER.test(name)) throw new Error(`The header "${name}" is written by the mail itself.`);
    return [name, oneLine(String(value))] as const;
  });
  return Object.fromEntries(entries);
}

async function sealAttachment({ name, content, type = '', cid = '' }: MailAttachment): Promise<AttachedFile> {
  if (type !== '' && !MEDIA_TYPE.test(type)) throw new Error(`${JSON.stringify(type)} is no type of an attachment.`);
  if (cid !== '' && !CONTENT_ID.test(cid)) throw new Error(`${JSON.stringify(cid)} is no name for a picture.`);
  return { name: oneLine(name), content: await bytesOf(content), type, cid };
}

async function bytesOf(content: MailAttachment['content']): Promise<Uint8Array> {
  if (typeof content === 'string') return Buffer.from(content);
  return content instanceof Blob ? new Uint8Array(await content.arrayBuffer()) : content;
}

/** A header value as a single line. */
function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\x00-\x1f\x7f\u2028\u2029]+/g, ' ').trim();
}
