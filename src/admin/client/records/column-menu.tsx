import { ActionIcon, Checkbox, Menu, Tooltip } from '@mantine/core';
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
        <Tooltip label="Columns">
          <ActionIcon size={34} variant="default" aria-label="Columns">
            <IconColumns3 size={17} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflow: 'auto' }}>
        <Menu.Label>Columns</Menu.Label>
        {fields.map((field) => (
          <Menu.Item
            key={field.id}
            role="menuitemcheckbox"
            aria-checked={shown.has(field.name)}
            leftSection={<Checkbox.Indicator size="xs" checked={shown.has(field.name)} />}
            onClick={() => onToggle(field.name)}
          >
            {field.name}
            {field.hidden ? <span className="hint"> hidden</span> : null}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
