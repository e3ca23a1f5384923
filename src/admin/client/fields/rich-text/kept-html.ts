/**
 * Carries HTML that the rich text editor does not know through it (UI-77): `toEditable` puts whatever it would drop
 * into attributes and blocks that it keeps, `toStored` takes it out again. What the editor knows stays as it is.
 */

/** Attributes the editor itself reads and writes, by element. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'li'].map((tag) => [tag, ['dir']])),
  ...Object.fromEntries(
    ['ul', 'hr', 'br', 'strong', 'em', 'u', 's', 'code', 'pre', 'table', 'tr', 'span'].map((tag) => [tag, []]),
  ),
  b: [],
  i: [],
  ol: ['start', 'type'],
  a: ['href'],
  img: ['src', 'alt', 'title', 'width', 'height'],
  video: ['src', 'width', 'height', 'poster'],
  audio: ['src'],
  td: ['colspan', 'rowspan'],
  th: ['colspan', 'rowspan'],
};
const ALIGNED: ReadonlySet<string> = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'li']);
const MEDIA: ReadonlySet<string> = new Set(['img', 'video', 'audio']);

/** Elements around text whose content goes on being edited. */
const INLINE: ReadonlySet<string> = new Set(
  'a abbr acronym b bdi bdo big cite data del dfn font i ins kbd label mark q samp small span strike sub sup time tt u var'.split(
    ' ',
  ),
);
/** Elements around blocks, or around a line of text, whose content goes on being edited. */
const CONTAINERS: ReadonlySet<string> = new Set(
  'address article aside center dd details div dl dt figcaption figure footer header legend main nav section summary'.split(
    ' ',
  ),
);
const BLOCKS: ReadonlySet<string> = new Set([
  ...CONTAINERS,
  ...ALIGNED,
  ...'ul ol hr pre table tbody tr td th form fieldset'.split(' '),
]);
/** Where the editor expects blocks, and makes paragraphs of text. */
const HOLD_BLOCKS: ReadonlySet<string> = new Set(['body', 'blockquote', 'li', 'td', 'th']);

const SAFE_HREF = /^(https?:|mailto:|tel:|[^a-z]|[a-z][^:]*$)/i;
/** Handlers are renamed before anything is parsed: the browser reports them as breaches of the policy otherwise. */
const TAG = /<[a-z][^<>]*>/gi;
const HANDLER = /(\s)(on[a-z]+)(?=\s*=)/gi;
const RENAMED = /(\s)data-kept-(on[a-z]+)(?==)/g;

type Attributes = Record<string, string>;

function parse(html: string): HTMLElement {
  const quiet = html.replace(TAG, (tag) => tag.replace(HANDLER, '$1data-kept-$2'));
  return new DOMParser().parseFromString(`<body>${quiet}</body>`, 'text/html').body;
}

/** HTML for the editor, with everything it does not know in `data-kept…`. */
export function toEditable(html: string): string {
  const body = parse(html);
  keepChildren(body);
  return body.innerHTML;
}

/** The HTML that is stored: what `toEditable` made of it, edited or not, as it would have been written by hand. */
export function toStored(html: string): string {
  const body = new DOMParser().parseFromString(html, 'text/html').body;
  const pieces: string[] = [];
  for (const element of body.querySelectorAll('[data-kept-html]')) {
    pieces.push(element.getAttribute('data-kept-html')!);
    element.replaceWith(`\u{e000}${pieces.length - 1}\u{e001}`);
  }
  for (const element of body.querySelectorAll<HTMLElement>('[data-kept-table]')) restoreTable(element);
  for (const element of body.querySelectorAll<HTMLElement>('[data-kept]')) restore(element);
  // The editor ends with a line to type in.
  const last = body.lastElementChild;
  if (last?.tagName === 'P' && last.attributes.length === 0 && !last.hasChildNodes() && body.children.length > 1) {
    last.remove();
  }
  return body.innerHTML
    .replace(/\u{e000}(\d+)\u{e001}/gu, (_match, index: string) => pieces[Number(index)]!)
    .replace(TAG, (tag) => tag.replace(RENAMED, '$1$2'));
}

/** Whether a text comes out of the editor with all that is in it; `edit` is the way through the editor. */
export function isKept(html: string, edit: (editable: string) => string): boolean {
  return canonical(html) === canonical(toStored(edit(toEditable(html))));
}

function keepChildren(parent: Element): void {
  for (const node of Array.from(parent.childNodes)) {
    if (node.nodeType === Node.COMMENT_NODE) node.replaceWith(atom(node, parent));
    else if (node instanceof HTMLElement || node instanceof Element) keep(node, parent);
  }
}

function keep(element: Element, parent: Element): void {
  const tag = element.localName;
  if (tag === 'br' && element.attributes.length === 0) return;
  const isAlone = isBlockPlace(element, parent);
  if (tag === 'pre') return keepCode(element);
  if (tag === 'table') return keepTable(element, isAlone, parent);
  if (MEDIA.has(tag)) {
    if (isAlone && element.hasAttribute('src') && element.children.length === 0) keepAttributes(element);
    else element.replaceWith(atom(element, parent));
    return;
  }
  if (INLINE.has(tag) && !isKnownInline(element)) return keepInline(element, parent);
  if (KNOWN[tag]) {
    keepAttributes(element);
    if (tag === 'span') splitColours(element as HTMLElement);
    return keepChildren(element);
  }
  if (CONTAINERS.has(tag) && isAlone) {
    const hasText = [...element.childNodes].some(isInlineNode);
    const hasBlocks = [...element.children].some((child) => !isInlineNode(child));
    if (hasText !== hasBlocks) return rename(element, hasText ? 'div' : 'section');
  }
  element.replaceWith(atom(element, parent));
}

/** Elements that the editor makes something of by itself. */
function isKnownInline(element: Element): boolean {
  const tag = element.localName;
  if (!KNOWN[tag]) return false;
  if (tag === 'a') return SAFE_HREF.test(element.getAttribute('href') ?? 'none:') && element.textContent !== '';
  if (tag === 'span') return hasColour(element as HTMLElement) && element.textContent !== '';
  return element.attributes.length === 0 && element.textContent !== '';
}

function keepInline(element: Element, parent: Element): void {
  const isText =
    element.textContent !== '' && [...element.querySelectorAll('*')].every((each) => !BLOCKS.has(each.localName));
  if (isText) rename(element, 'span');
  else element.replaceWith(atom(element, parent));
}

/** An element under another name that the editor knows, with its own one beside it. */
function rename(element: Element, as: string): void {
  const copy = element.ownerDocument.createElement(as);
  copy.setAttribute('data-kept-tag', element.localName);
  copy.setAttribute('data-kept', JSON.stringify(attributesOf(element)));
  copy.append(...element.childNodes);
  element.replaceWith(copy);
  keepChildren(copy);
}

function attributesOf(element: Element): Attributes {
  return Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
}

/** Something that is shown and cannot be edited. */
function atom(node: ChildNode, parent: Element): Element {
  const place = node.ownerDocument!.createElement(isBlockPlace(node, parent) ? 'div' : 'span');
  const html = node instanceof Element ? node.outerHTML : `<!--${node.nodeValue}-->`;
  place.setAttribute('data-kept-html', html);
  return place;
}

/** Whether a node stands among blocks, and not in a line of text. */
function isBlockPlace(node: ChildNode, parent: Element): boolean {
  const holdsBlocks = HOLD_BLOCKS.has(parent.localName) || parent.localName === 'section';
  return holdsBlocks && ![...parent.childNodes].some((each) => each !== node && isInlineNode(each));
}

function isInlineNode(node: Node): boolean {
  if (node.nodeType === Node.TEXT_NODE) return node.nodeValue!.trim() !== '';
  if (!(node instanceof Element)) return false;
  const tag = node.localName;
  return node.hasAttribute('data-kept-tag') || node.hasAttribute('data-kept-html')
    ? tag === 'span'
    : INLINE.has(tag) || tag === 'br' || ['strong', 'em', 's', 'code'].includes(tag);
}

function keepAttributes(element: Element): void {
  const tag = element.localName;
  const kept = attributesOf(element);
  for (const name of KNOWN[tag] ?? []) delete kept[name];
  if (kept.style !== undefined) {
    const { own, rest } = splitStyle(element as HTMLElement);
    if (own) element.setAttribute('style', own);
    else element.removeAttribute('style');
    delete kept.style;
    if (rest) kept.style = rest;
  }
  for (const name of Object.keys(kept)) if (name !== 'style') element.removeAttribute(name);
  // Links get an attribute of the editor's own otherwise, videos their controls.
  if (Object.keys(kept).length > 0 || tag === 'a' || MEDIA.has(tag))
    element.setAttribute('data-kept', JSON.stringify(kept));
}

/** The part of a style that the editor reads, and the rest. */
function splitStyle(element: HTMLElement): { own: string; rest: string } {
  const tag = element.localName;
  const isOwn = (name: string) =>
    (ALIGNED.has(tag) && name === 'text-align') ||
    (tag === 'span' && (name === 'color' || name === 'background-color'));
  const parts = (element.getAttribute('style') ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean);
  const of = (own: boolean) =>
    parts.filter((part) => isOwn(part.split(':')[0]!.trim().toLowerCase()) === own).join('; ');
  return { own: of(true), rest: of(false) };
}

function hasColour({ style }: HTMLElement): boolean {
  return style.color !== '' || style.backgroundColor !== '';
}

/** The editor reads one colour of an element. */
function splitColours(element: HTMLElement): void {
  const { color, backgroundColor } = element.style;
  if (!color || !backgroundColor) return;
  const inner = element.ownerDocument.createElement('span');
  inner.style.backgroundColor = backgroundColor;
  element.style.backgroundColor = '';
  inner.append(...element.childNodes);
  element.append(inner);
}

function keepCode(element: Element): void {
  const code = element.firstElementChild;
  const isCode = code?.localName === 'code' && element.childNodes.length === 1 && code.children.length === 0;
  const isPlain =
    isCode && [...code.attributes].every(({ name, value }) => name === 'class' && /^language-\S+$/.test(value));
  if (isPlain) keepAttributes(element);
  else element.replaceWith(atom(element, element.parentElement!));
}

/** Rows are edited; heads, feet, captions and widths of columns are put back around them. */
function keepTable(table: Element, isAlone: boolean, parent: Element): void {
  const rows = [...table.querySelectorAll('tr')];
  if (!isAlone || rows.length === 0 || table.querySelector('table table'))
    return table.replaceWith(atom(table, parent));
  const outside = [...table.children].filter(({ localName }) => localName === 'caption' || localName === 'colgroup');
  const sections = [...table.children].filter(({ localName }) => ['thead', 'tbody', 'tfoot'].includes(localName));
  const kept = {
    outside: outside.map((each) => each.outerHTML).join(''),
    sections: sections.map((each) => ({
      tag: each.localName,
      rows: each.children.length,
      attributes: attributesOf(each),
    })),
  };
  outside.forEach((each) => each.remove());
  table.replaceChildren(...rows);
  keepAttributes(table);
  table.setAttribute('data-kept-table', JSON.stringify(kept));
  for (const row of rows) {
    keepAttributes(row);
    for (const cell of row.children) {
      keepAttributes(cell);
      keepChildren(cell);
    }
  }
}

interface KeptTable {
  readonly outside: string;
  readonly sections: readonly { readonly tag: string; readonly rows: number; readonly attributes: Attributes }[];
}

/** Rows that were added belong to the body, or to the last part where there is none. */
function restoreTable(table: HTMLElement): void {
  const { outside, sections } = JSON.parse(table.getAttribute('data-kept-table')!) as KeptTable;
  table.removeAttribute('data-kept-table');
  const rows = [...table.querySelectorAll('tr')];
  const added = rows.length - sections.reduce((sum, each) => sum + each.rows, 0);
  const growing = Math.max(
    sections.findIndex(({ tag }) => tag === 'tbody'),
    0,
  );
  table.innerHTML = outside;
  sections.forEach((section, index) => {
    const part = table.ownerDocument.createElement(section.tag);
    for (const [name, value] of Object.entries(section.attributes)) part.setAttribute(name, value);
    part.append(...rows.splice(0, Math.max(section.rows + (index === growing ? added : 0), 0)));
    table.append(part);
  });
  table.append(...rows);
}

function restore(element: HTMLElement): void {
  const tag = element.getAttribute('data-kept-tag') ?? element.localName;
  const kept = JSON.parse(element.getAttribute('data-kept')!) as Attributes;
  const result = element.ownerDocument.createElement(tag);
  if (!element.hasAttribute('data-kept-tag')) {
    for (const name of KNOWN[tag] ?? []) {
      if (element.hasAttribute(name)) result.setAttribute(name, element.getAttribute(name)!);
    }
    const style = [element.getAttribute('style')?.replace(/;\s*$/, ''), kept.style].filter(Boolean).join('; ');
    if (style) result.setAttribute('style', style);
    delete kept.style;
  }
  for (const [name, value] of Object.entries(kept)) result.setAttribute(name, value);
  result.append(...element.childNodes);
  element.replaceWith(result);
}

/** A text in the form in which two that mean the same are equal. */
function canonical(html: string): string {
  const body = parse(html);
  const canonicalOf = (element: Element): string => {
    const inside = [...element.childNodes].map(textOf);
    return `<${element.localName}${attributeText(element)}>${inside.join('')}</>`;
  };
  const textOf = (node: ChildNode): string => {
    if (node instanceof Element) return canonicalOf(node);
    if (node.nodeType === Node.COMMENT_NODE) return `<!--${node.nodeValue}-->`;
    return node.nodeValue ?? '';
  };
  unify(body);
  return canonicalOf(body);
}

function attributeText(element: Element): string {
  return [...element.attributes]
    .filter(({ name, value }) => !(name === 'alt' && value === '') && !(/^(col|row)span$/.test(name) && value === '1'))
    .map(({ name, value }) => ` ${name}=${name === 'style' ? styleText(value) : JSON.stringify(value)}`)
    .toSorted()
    .join('');
}

function styleText(value: string): string {
  const plain = document.createElement('span');
  plain.style.cssText = value;
  return plain.style.length > 0
    ? [...plain.style]
        .map((name) => `${name}:${plain.style.getPropertyValue(name)}`)
        .toSorted()
        .join(';')
    : value;
}

const SAME: Readonly<Record<string, string>> = { b: 'strong', i: 'em', strike: 's' };

/** What the editor writes otherwise without a difference: paragraphs in cells and items, names of elements, blanks. */
function unify(body: Element): void {
  for (const element of body.querySelectorAll('b, i, strike')) {
    if (element.attributes.length > 0) continue;
    const same = element.ownerDocument.createElement(SAME[element.localName]!);
    same.append(...element.childNodes);
    element.replaceWith(same);
  }
  for (const span of [...body.querySelectorAll('span')].toReversed()) {
    const only = span.childNodes.length === 1 ? span.firstElementChild : null;
    if (only?.localName !== 'span') continue;
    const style = [span.getAttribute('style'), only.getAttribute('style')].filter(Boolean).join(';');
    for (const { name, value } of only.attributes) span.setAttribute(name, value);
    if (style) span.setAttribute('style', style);
    only.replaceWith(...only.childNodes);
  }
  for (const place of [body, ...body.querySelectorAll('li, td, th, blockquote')]) wrapLines(place);
  for (const table of body.querySelectorAll('table')) {
    const loose = [...table.children].filter(({ localName }) => localName === 'tr');
    if (loose.length === 0) continue;
    const part = table.ownerDocument.createElement('tbody');
    part.append(...loose);
    table.append(part);
  }
  collapseBlanks(body);
  for (const paragraph of body.querySelectorAll(':scope > p:last-child')) {
    if (!paragraph.hasChildNodes() && paragraph.attributes.length === 0) paragraph.remove();
  }
}

function wrapLines(place: Element): void {
  let line: Element | undefined;
  for (const node of Array.from(place.childNodes)) {
    const isLine = isInlineNode(node) || (node instanceof Element && !BLOCKS.has(node.localName) && line !== undefined);
    const isBlank = node.nodeType === Node.TEXT_NODE && !isLine;
    if (isLine || (isBlank && line)) {
      if (!line) {
        line = place.ownerDocument.createElement('p');
        node.before(line);
      }
      line.append(node);
    } else line = undefined;
  }
}

function collapseBlanks(body: Element): void {
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    if (text.parentElement!.closest('pre')) continue;
    const parent = text.parentElement!;
    let value = text.data.replace(/[ \t\r\n\f]+/g, ' ');
    const isBlock = BLOCKS.has(parent.localName) || parent.localName === 'body' || parent.localName === 'p';
    if (isBlock && (!text.previousSibling || isBreak(text.previousSibling))) value = value.replace(/^ /, '');
    if (isBlock && (!text.nextSibling || isBreak(text.nextSibling))) value = value.replace(/ $/, '');
    if (value === '') text.remove();
    else text.data = value;
  }
}

function isBreak(node: Node): boolean {
  return node instanceof Element && (BLOCKS.has(node.localName) || node.localName === 'br' || !isInlineNode(node));
}
