import { Extension, Node, mergeAttributes, type Editor } from '@tiptap/core';
import { goToNextCell, tableEditing } from '@tiptap/pm/tables';

/** A number of columns or rows that is written only where it is more than one. */
const span = (name: 'colspan' | 'rowspan') => ({
  default: 1,
  parseHTML: (element: HTMLElement) => Number(element.getAttribute(name)) || 1,
  renderHTML: (attributes: Record<string, unknown>) =>
    Number(attributes[name]) > 1 ? { [name]: attributes[name] } : {},
});

const spans = {
  colspan: span('colspan'),
  rowspan: span('rowspan'),
  colwidth: { default: null, rendered: false },
};

const Table = Node.create({
  name: 'table',
  group: 'block',
  content: 'tableRow+',
  isolating: true,
  tableRole: 'table',
  parseHTML: () => [{ tag: 'table' }],
  renderHTML: ({ HTMLAttributes }: { HTMLAttributes: Record<string, unknown> }) => [
    'table',
    HTMLAttributes,
    ['tbody', 0],
  ],
  addProseMirrorPlugins: () => [tableEditing()],
  // From cell to cell; from the last one the key leaves the editor, as everywhere else in it.
  addKeyboardShortcuts: () => ({
    Tab: ({ editor }: { editor: Editor }) => goToNextCell(1)(editor.state, editor.view.dispatch),
    'Shift-Tab': ({ editor }: { editor: Editor }) => goToNextCell(-1)(editor.state, editor.view.dispatch),
  }),
} as never);

const TableRow = Node.create({
  name: 'tableRow',
  content: '(tableCell | tableHeader)*',
  tableRole: 'row',
  parseHTML: () => [{ tag: 'tr' }],
  renderHTML: ({ HTMLAttributes }: { HTMLAttributes: Record<string, unknown> }) => ['tr', HTMLAttributes, 0],
} as never);

const TableCell = Node.create({
  name: 'tableCell',
  content: 'block+',
  isolating: true,
  tableRole: 'cell',
  addAttributes: () => spans,
  parseHTML: () => [{ tag: 'td' }],
  renderHTML: ({ HTMLAttributes }: { HTMLAttributes: Record<string, unknown> }) => [
    'td',
    mergeAttributes(HTMLAttributes),
    0,
  ],
} as never);

const TableHeader = Node.create({
  name: 'tableHeader',
  content: 'block+',
  isolating: true,
  tableRole: 'header_cell',
  addAttributes: () => spans,
  parseHTML: () => [{ tag: 'th' }],
  renderHTML: ({ HTMLAttributes }: { HTMLAttributes: Record<string, unknown> }) => [
    'th',
    mergeAttributes(HTMLAttributes),
    0,
  ],
} as never);

/** ProseMirror finds the parts of a table by their role, which TipTap does not hand on by itself. */
const TableRoles = Extension.create({
  name: 'tableRoles',
  extendNodeSchema: (extension) => {
    const role = (extension.config as { tableRole?: string }).tableRole;
    return role ? { tableRole: role } : {};
  },
});

/** Tables for the rich text editor, over ProseMirror's own table package. */
export const tableNodes = [TableRoles, Table, TableRow, TableHeader, TableCell];
