import type { MailTemplate } from '../kernel/collections/auth-options.js';
import { escapeHtml } from '../kernel/mail/escape-html.js';
import { fillTemplate, type PlaceholderValues } from '../kernel/mail/fill-template.js';
import { layoutMail } from '../kernel/mail/mail-layout.js';
import { htmlToText } from './mail-text.js';

/** The parts of a mail that come from a template. */
export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

/**
 * Fills a template (AUTH-1304). The template's own text is trusted HTML, the values are not: in the body they are
 * escaped. Placeholders without a value stay as they are, and values are never searched for placeholders.
 */
export function renderMail(template: MailTemplate, values: PlaceholderValues): RenderedMail {
  const subject = fillTemplate(template.subject, values);
  const body = fillTemplate(template.body, values, escapeHtml);
  return { subject, html: layoutMail(subject, body), text: htmlToText(body) };
}
