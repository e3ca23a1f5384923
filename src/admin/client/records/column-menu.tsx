import { Menu } from '@mantine/core';
import type { FieldModel } from '../api/collection-model.js';
import type { MenuOfButton } from '../design/menu-on-demand.js';

interface ColumnMenuProps extends MenuOfButton {
  readonly fields: readonly FieldModel[];
  readonly shown: ReadonlySet<string>;
  readonly onToggle: (name: string) => void;
}

/** Which columns are shown. */
export function ColumnMenu({ fields, shown, onToggle, children }: ColumnMenuProps) {
  return (
    <Menu position="bottom-end" closeOnItemClick={false} width={220}>
      <Menu.Target>{children}</Menu.Target>
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
