import { Parser } from 'htmlparser2';

const SKIPPED: ReadonlySet<string> = new Set(['head', 'script', 'style', 'title', 'template']);
const PARAGRAPHS: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol table blockquote pre hr section article header footer'.split(' '),
);
const LINES: ReadonlySet<string> = new Set(['br', 'div', 'li', 'tr', 'dt', 'dd']);

/** The plain text of an HTML body, for readers that show no HTML: paragraphs and lines kept, links with their URL. */
export function htmlToText(html: string): string {
  const writer = new TextWriter();
  const parser = new Parser(writer, { decodeEntities: true });
  parser.end(html);
  return writer.toString();
}

/** Collects the text between the tags. */
class TextWriter {
  private text = '';
  private skipping = 0;
  private readonly links: { readonly href: string; readonly start: number }[] = [];

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    if (SKIPPED.has(name)) this.skipping++;
    this.breakBefore(name);
    if (name === 'li') this.text += '- ';
    if (name === 'img') this.ontext(attributes.alt ?? '');
    if (name === 'a') this.links.push({ href: attributes.href ?? '', start: this.text.length });
  }

  ontext(text: string): void {
    if (this.skipping > 0) return;
    const words = text.replace(/\s+/g, ' ');
    const isAtStart = this.text === '' || this.text.endsWith('\n') || this.text.endsWith(' ');
    this.text += isAtStart ? words.trimStart() : words;
  }

  onclosetag(name: string): void {
    if (SKIPPED.has(name)) this.skipping--;
    if (name === 'a') this.closeLink();
    if (name !== 'br') this.breakBefore(name);
  }

  toString(): string {
    return `${this.text.trim()}\n`;
  }

  private closeLink(): void {
    const link = this.links.pop();
    if (!link || link.href === '' || link.href.startsWith('#')) return;
    const label = this.text.slice(link.start).trim();
    if (label !== link.href) this.text += label === '' ? link.href : ` (${link.href})`;
  }

  private breakBefore(name: string): void {
    if (PARAGRAPHS.has(name)) this.text = `${this.text.trimEnd()}\n\n`;
    else if (LINES.has(name) && (name === 'br' || !this.text.endsWith('\n')))
      this.text = `${this.text.replace(/ $/, '')}\n`;
  }
}
