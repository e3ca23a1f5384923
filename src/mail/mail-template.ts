import type { MailTemplate } from '../kernel/collections/auth-options.js';
import { escapeHtml } from './escape-html.js';
import { layoutMail } from './mail-layout.js';
import { htmlToText } from './mail-text.js';

/** What stands for the placeholders of a template, by name without braces: `APP_NAME`, `RECORD:email`, `TOKEN`. */
export type PlaceholderValues = Readonly<Record<string, string>>;

/** The parts of a mail that come from a template. */
export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

const PLACEHOLDER = /\{([A-Z_]+(?::\w+)?)\}/g;

/**
 * Fills a template (AUTH-1304). The template's own text is trusted HTML, the values are not: in the body they are
 * escaped. Placeholders without a value stay as they are, and values are never searched for placeholders.
 */
export function renderMail(template: MailTemplate, values: PlaceholderValues): RenderedMail {
  const subject = fill(template.subject, values);
  const body = fill(template.body, values, escapeHtml);
  return { subject, html: layoutMail(subject, body), text: htmlToText(body) };
}

function fill(text: string, values: PlaceholderValues, toMarkup: (value: string) => string = String): string {
  return text.replace(PLACEHOLDER, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? toMarkup(values[name]) : placeholder,
  );
}
