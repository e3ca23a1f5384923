import { Kbd, Table } from '@mantine/core';
import { Dialog } from '../design/dialog.js';

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['/', 'Focus the search'],
  ['n', 'New record'],
  ['?', 'This list'],
  ['Esc', 'Close the top panel or dialog; leave a code editor'],
  ['Ctrl/⌘ S', 'Save and stay'],
  ['Enter or Space', 'Open the focused row'],
  ['Shift + click', 'Select a range of rows'],
  ['→ ← ↑ ↓', 'Go from a focused row to its cells, and between them'],
  ['Enter or F2', 'Edit the focused cell; Tab goes on, Esc leaves'],
  ['Shift ← →', 'Resize the column of the focused header'],
  ['Alt ← →', 'Move the column of the focused header'],
  ['Ctrl/⌘ 0', 'Reset the diagram'],
  ['Tab', 'Indent in code editors'],
  ['↑ ↓ Enter', 'Choose a completion'],
];

/** The dialog with all shortcuts. */
export function ShortcutsList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog opened onClose={onClose} title="Keyboard shortcuts" size={460}>
      <Table>
        <Table.Tbody>
          {SHORTCUTS.map(([keys, what]) => (
            <Table.Tr key={keys}>
              <Table.Td w={150}>
                <Kbd>{keys}</Kbd>
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
