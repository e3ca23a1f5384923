import { Menu } from '@mantine/core';
import {
  IconArrowLeft,
  IconArrowRight,
  IconArrowsHorizontal,
  IconEyeOff,
  IconPin,
  IconPinnedOff,
} from '@tabler/icons-react';
import type { MenuOfButton } from '../design/menu-on-demand.js';

interface HeaderMenuProps extends MenuOfButton {
  readonly name: string;
  readonly isPinned: boolean;
  readonly onMoveLeft?: () => void;
  readonly onMoveRight?: () => void;
  readonly onPin: () => void;
  readonly onHide: () => void;
  readonly onReset: () => void;
}

/** What can be done with a column. */
export function HeaderMenu(props: HeaderMenuProps) {
  const { name, isPinned, onMoveLeft, onMoveRight, onPin, onHide, onReset, children } = props;
  return (
    <Menu position="bottom-end" width={210}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown aria-label={`Column ${name}`}>
        <Menu.Item leftSection={isPinned ? <IconPinnedOff size={15} /> : <IconPin size={15} />} onClick={onPin}>
          {isPinned ? 'Unpin' : 'Pin'}
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowLeft size={15} />} disabled={!onMoveLeft} onClick={onMoveLeft}>
          Move left
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowRight size={15} />} disabled={!onMoveRight} onClick={onMoveRight}>
          Move right
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowsHorizontal size={15} />} onClick={onReset}>
          Reset the width
        </Menu.Item>
        <Menu.Item leftSection={<IconEyeOff size={15} />} onClick={onHide}>
          Hide
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
