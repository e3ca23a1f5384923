import '../design/mantine-more-styles.js';
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './collections-page.module.css';

interface SidebarDrawerProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The sidebar on narrow screens. */
export function SidebarDrawer({ opened, onClose, children }: SidebarDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={300}
      title="Collections"
      padding={0}
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{ header: classes.drawerHeader, title: classes.drawerTitle, body: classes.drawerBody }}
    >
      {children}
    </Drawer>
  );
}
