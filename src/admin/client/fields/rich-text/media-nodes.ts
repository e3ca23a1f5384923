import { Node, mergeAttributes } from '@tiptap/core';

/** An image inside rich text. */
const Picture = Node.create({
  name: 'image',
  group: 'block',
  atom: true,
  draggable: true,
  addAttributes: () => ({
    src: { default: null },
    alt: { default: null },
    title: { default: null },
    width: { default: null },
    height: { default: null },
  }),
  parseHTML: () => [{ tag: 'img[src]' }],
  // An image without `alt` would be read out by its address.
  renderHTML: ({ HTMLAttributes }) => ['img', { ...HTMLAttributes, alt: (HTMLAttributes.alt as string | null) ?? '' }],
});

function player(name: 'video' | 'audio') {
  return Node.create({
    name,
    group: 'block',
    atom: true,
    draggable: true,
    addAttributes: () => ({
      src: { default: null },
      width: { default: null },
      height: { default: null },
      poster: { default: null },
    }),
    parseHTML: () => [{ tag: `${name}[src]` }],
    renderHTML: ({ HTMLAttributes }) => [name, mergeAttributes({ controls: 'true' }, HTMLAttributes)],
  });
}

/** Images, videos and sounds for the rich text editor. */
export const mediaNodes = [Picture, player('video'), player('audio')];
