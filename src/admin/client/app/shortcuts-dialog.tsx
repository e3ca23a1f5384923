import { Kbd, Table } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Dialog } from '../design/dialog.js';
import { useShortcut } from './use-shortcut.js';

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['/', 'Focus the search'],
  ['n', 'New record'],
  ['?', 'This list'],
  ['Esc', 'Close the top panel or dialog; leave a code editor'],
  ['Ctrl/⌘ S', 'Save and stay'],
  ['Enter or Space', 'Open the focused row'],
  ['Shift + click', 'Select a range of rows'],
  ['Ctrl/⌘ 0', 'Reset the diagram'],
  ['Tab', 'Indent in code editors'],
  ['↑ ↓ Enter', 'Choose a completion'],
];

/** The list of shortcuts, on `?` (OPS-210). */
export function ShortcutsDialog() {
  const [opened, setOpened] = useState(false);
  useShortcut('?', () => setOpened(true));
  useEffect(() => {
    const open = () => setOpened(true);
    document.addEventListener('roost:shortcuts', open);
    return () => document.removeEventListener('roost:shortcuts', open);
  }, []);
  return (
    <Dialog opened={opened} onClose={() => setOpened(false)} title="Keyboard shortcuts" size={460}>
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
