import { isJsonText } from './json-text.js';

const PLAIN = 'text/plain; charset=utf-8';
const HTML = 'text/html; charset=utf-8';
const XML = 'text/xml; charset=utf-8';
const SVG = 'image/svg+xml';

/** What no text contains: control characters, except for tab, line ends, form feed and escape. */
// oxlint-disable-next-line no-control-regex -- these characters are what is looked for
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Elements with which web pages begin. */
const HTML_ELEMENTS: ReadonlySet<string> = new Set(
  'html head title body script style iframe table div font p a b br h1 meta link'.split(' '),
);

/**
 * A sample of content as text, without byte order mark; undefined when it is not UTF-8 or has control characters.
 * A character that is cut off at the end is no fault unless the sample is the whole content.
 */
export function decodeText(sample: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: !isWhole });
    return BINARY.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The kind of text this is, judged by its beginning; `isWhole` tells that nothing follows. */
export function textTypeOf(text: string, isWhole: boolean): string {
  const trimmed = text.trimStart();
  if (trimmed.startsWith('<')) return markupType(trimmed);
  if (isJsonText(trimmed, isWhole)) return 'application/json';
  return isCsv(text, isWhole) ? 'text/csv' : PLAIN;
}

function markupType(text: string): string {
  const { isXml, doctype, hasComment, element } = readProlog(text);
  const root = element.slice(element.indexOf(':') + 1);
  if (root === 'svg' || (element === '' && doctype === 'svg')) return SVG;
  if (isXml) return XML;
  if (doctype === 'html' || HTML_ELEMENTS.has(element)) return HTML;
  return hasComment ? HTML : PLAIN;
}

interface Prolog {
  isXml: boolean;
  /** The name in `<!DOCTYPE name`, lower-cased. */
  doctype: string;
  hasComment: boolean;
  /** The name of the first element, lower-cased; '' when there is none. */
  element: string;
}

/** Reads what stands before the first element. Step by step: one expression for all would be slow on hostile input. */
function readProlog(text: string): Prolog {
  const prolog: Prolog = { isXml: text.startsWith('<?xml'), doctype: '', hasComment: false, element: '' };
  let rest = text;
  for (;;) {
    let end: number;
    if (rest.startsWith('<?')) {
      end = endOf(rest, '?>');
    } else if (rest.startsWith('<!--')) {
      prolog.hasComment = true;
      end = endOf(rest, '-->');
    } else if (/^<!doctype\s/i.test(rest)) {
      prolog.doctype = /^<!doctype\s+([\w:-]*)/i.exec(rest)![1]!.toLowerCase();
      end = endOfDoctype(rest);
    } else {
      prolog.element = /^<([a-z][\w:-]*)(?=[\s/>]|$)/i.exec(rest)?.[1]?.toLowerCase() ?? '';
      return prolog;
    }
    rest = rest.slice(end).trimStart();
  }
}

function endOf(text: string, mark: string): number {
  const at = text.indexOf(mark);
  return at === -1 ? text.length : at + mark.length;
}

function endOfDoctype(text: string): number {
  const close = text.indexOf('>');
  const subset = text.indexOf('[');
  if (subset === -1 || subset > close) return endOf(text, '>');
  const subsetEnd = text.indexOf(']', subset);
  return subsetEnd === -1 ? text.length : subsetEnd + endOf(text.slice(subsetEnd), '>');
}

/** Two or more lines of the same number of comma-separated values, at least two each. */
function isCsv(text: string, isWhole: boolean): boolean {
  const counts = csvFieldCounts(text);
  if (!isWhole) counts.pop();
  return counts.length >= 2 && counts[0]! >= 2 && counts.every((count) => count === counts[0]);
}

/** How many values each line has; line ends and commas inside quotes do not count, and neither do empty lines. */
function csvFieldCounts(text: string): number[] {
  const counts: number[] = [];
  let values = 1;
  let isQuoted = false;
  let isEmpty = true;
  for (const character of `${text}\n`) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === ',' && !isQuoted) values++;
    if (character === '\n' && !isQuoted) {
      if (!isEmpty) counts.push(values);
      values = 1;
      isEmpty = true;
    } else if (character !== '\r') {
      isEmpty = false;
    }
  }
  return counts;
}
