import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface SaveButtonsProps {
  /** What the main button says: "Create" or "Save". */
  readonly label: string;
  readonly resetLabel: string;
  readonly dirty: boolean;
  readonly busy: boolean;
  readonly canSave: boolean;
  /** False when there is nothing to go on with after saving. */
  readonly canStay?: boolean;
  readonly onReset: () => void;
  readonly onCancel: () => void;
  readonly onSave: (stay: boolean) => void;
  /** Stands where the save buttons would. */
  readonly instead?: ReactNode;
}

/** The foot of a panel in which one thing is edited: reset, cancel, save, save and continue. */
export function SaveButtons(props: SaveButtonsProps) {
  const { label, resetLabel, dirty, busy, canSave, canStay = true, onReset, onCancel, onSave, instead } = props;
  return (
    <>
      {dirty ? (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<IconRefresh size={15} />}
          disabled={busy}
          mr="auto"
          onClick={onReset}
        >
          {resetLabel}
        </Button>
      ) : null}
      <Button variant="default" onClick={onCancel} disabled={busy}>
        Cancel
      </Button>
      {instead ?? (
        <Button.Group>
          <Button onClick={() => onSave(false)} loading={busy} disabled={!canSave}>
            {label}
          </Button>
          {canStay ? (
            <Menu position="top-end">
              <Menu.Target>
                <Button
                  px={8}
                  aria-label="More ways to save"
                  disabled={!canSave || busy}
                  style={{ borderLeft: '1px solid rgb(255 255 255 / 25%)' }}
                >
                  <IconChevronDown size={15} />
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => onSave(true)} rightSection={<span className="hint">Ctrl S</span>}>
                  Save and continue
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          ) : null}
        </Button.Group>
      )}
    </>
  );
}
