import { Extension, Mark, mergeAttributes } from '@tiptap/core';

const BLOCKS = ['paragraph', 'heading', 'blockquote', 'listItem'];

/** Alignment and writing direction of blocks, kept as the HTML that mail clients and sites understand. */
const BlockStyles = Extension.create({
  name: 'blockStyles',
  addGlobalAttributes: () => [
    {
      types: BLOCKS,
      attributes: {
        textAlign: {
          default: null,
          parseHTML: (element) => element.style.textAlign || null,
          renderHTML: (attributes) =>
            attributes.textAlign ? { style: `text-align: ${String(attributes.textAlign)}` } : {},
        },
        dir: {
          default: null,
          parseHTML: (element) => element.getAttribute('dir'),
          renderHTML: (attributes) => (attributes.dir ? { dir: String(attributes.dir) } : {}),
        },
      },
    },
  ],
});

function colourMark(name: string, property: 'color' | 'background-color') {
  return Mark.create({
    name,
    addAttributes: () => ({
      value: {
        default: null,
        parseHTML: (element: HTMLElement) => element.style.getPropertyValue(property) || null,
        renderHTML: (attributes: Record<string, unknown>) =>
          attributes.value ? { style: `${property}: ${String(attributes.value)}` } : {},
      },
    }),
    parseHTML: () => [
      { tag: 'span', getAttrs: (element) => ((element as HTMLElement).style.getPropertyValue(property) ? {} : false) },
    ],
    renderHTML: ({ HTMLAttributes }) => ['span', mergeAttributes(HTMLAttributes), 0],
  });
}

/** Alignment, direction and colours for the rich text editor. */
export const textStyles = [BlockStyles, colourMark('textColor', 'color'), colourMark('backColor', 'background-color')];
