import { Extension, Mark, Node } from '@tiptap/core';
import DOMPurify from 'dompurify';

/** Whatever else carries the attributes of the HTML it came from. */
const CARRIERS = (
  'paragraph heading blockquote bulletList orderedList listItem codeBlock horizontalRule hardBreak image video audio ' +
  'table tableRow tableCell tableHeader link bold italic underline strike code textColor backColor'
).split(' ');

function attribute(name: string) {
  return {
    default: null,
    // A second paragraph has not the id of the first.
    keepOnSplit: false,
    parseHTML: (element: HTMLElement) => element.getAttribute(name),
    renderHTML: (attributes: Record<string, unknown>) => {
      const value = attributes[name];
      return typeof value === 'string' ? { [name]: value } : {};
    },
  };
}

const KeptAttributes = Extension.create({
  name: 'keptAttributes',
  addGlobalAttributes: () => [
    { types: CARRIERS, attributes: { 'data-kept': attribute('data-kept') } },
    { types: ['table'], attributes: { 'data-kept-table': attribute('data-kept-table') } },
  ],
});

const kept = () => ({ 'data-kept': attribute('data-kept'), 'data-kept-tag': attribute('data-kept-tag') });

/** Text inside an element that the editor has no button for, such as `<sub>`. */
const KeptInline = Mark.create({
  name: 'keptInline',
  excludes: '',
  inclusive: false,
  addAttributes: kept,
  parseHTML: () => [{ tag: 'span[data-kept-tag]', priority: 100 }],
  renderHTML: ({ HTMLAttributes }) => ['span', HTMLAttributes, 0],
});

/** Blocks inside an element such as `<figure>`. */
const KeptContainer = Node.create({
  name: 'keptContainer',
  group: 'block',
  content: 'block+',
  defining: true,
  addAttributes: kept,
  parseHTML: () => [{ tag: 'section[data-kept-tag]', priority: 100 }],
  renderHTML: ({ HTMLAttributes }) => ['section', HTMLAttributes, 0],
});

/** A line of text inside an element such as `<summary>`. */
const KeptLine = Node.create({
  name: 'keptLine',
  group: 'block',
  content: 'inline*',
  defining: true,
  addAttributes: kept,
  parseHTML: () => [{ tag: 'div[data-kept-tag]', priority: 100 }],
  renderHTML: ({ HTMLAttributes }) => ['div', HTMLAttributes, 0],
});

/** What is shown as it looks, without running or loading what it would, and can be moved and deleted. */
function keptAtom(name: string, inline: boolean) {
  const tag = inline ? 'span' : 'div';
  return Node.create({
    name,
    group: inline ? 'inline' : 'block',
    inline,
    atom: true,
    draggable: true,
    addAttributes: () => ({ 'data-kept-html': attribute('data-kept-html') }),
    parseHTML: () => [{ tag: `${tag}[data-kept-html]`, priority: 100 }],
    renderHTML: ({ HTMLAttributes }) => [tag, HTMLAttributes],
    addNodeView:
      () =>
      ({ node }) => {
        const html = String(node.attrs['data-kept-html']);
        const dom = document.createElement(tag);
        dom.dataset.keptName = html.startsWith('<!--')
          ? 'comment'
          : (/^<([\w-]+)/.exec(html)?.[1] ?? 'HTML').toLowerCase();
        dom.title = html.slice(0, 300);
        dom.append(
          DOMPurify.sanitize(quiet(html), {
            RETURN_DOM_FRAGMENT: true,
            FORBID_TAGS: ['style', 'form', 'input', 'button'],
          }),
        );
        return { dom };
      },
  });
}

/** Parsing handlers, even to throw them away, is reported as a breach of the content security policy. */
function quiet(html: string): string {
  return html.replaceAll(/\son[a-z]+\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, '');
}

/** What keeps HTML the editor does not know (UI-77); see kept-html.ts. */
export const keptNodes = [
  KeptAttributes,
  KeptInline,
  KeptContainer,
  KeptLine,
  keptAtom('keptBlock', false),
  keptAtom('keptPiece', true),
];
