import { ActionIcon, Menu } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { FieldModel } from '../api/collection-model.js';

interface ColumnMenuProps {
  readonly fields: readonly FieldModel[];
  readonly shown: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
}

/** Which columns are shown. */
export function ColumnMenu({ fields, shown, onToggle }: ColumnMenuProps) {
  return (
    <Menu position="bottom-end" closeOnItemClick={false} width={220}>
      <Menu.Target>
        <ActionIcon data-tip size={34} variant="default" aria-label="Columns">
          <IconColumns3 size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflow: 'auto' }}>
        <Menu.Label>Columns</Menu.Label>
        {fields.map((field) => (
          <Menu.CheckboxItem key={field.id} checked={shown.has(field.name)} onChange={() => onToggle(field.name)}>
            {field.name}
            {field.hidden ? <span className="hint"> hidden</span> : null}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
