import './mantine-more-styles.js';
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSaveShortcut } from '../app/use-shortcut.js';
import { useConfirm } from './confirm.js';
import { useLayer } from './layers.js';
import classes from './side-panel.module.css';

interface SidePanelProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  /** Controls at the right of the title. */
  readonly actions?: ReactNode;
  readonly footer?: ReactNode;
  readonly size?: number;
  /** With unsaved changes closing asks first. */
  readonly dirty?: boolean;
  /** What Ctrl/⌘+S does while this panel is the top one. */
  readonly onSave?: () => void;
  readonly children: ReactNode;
}

/** An overlay on the right in which one thing is edited. Esc and a click outside close it, the top one only. */
export function SidePanel({
  opened,
  onClose,
  title,
  actions,
  footer,
  size = 680,
  dirty,
  onSave,
  children,
}: SidePanelProps) {
  const layer = useLayer(opened);
  const confirm = useConfirm();
  useSaveShortcut(opened && layer.isTop && onSave !== undefined, () => onSave?.());
  const close = async () => {
    if (
      dirty &&
      !(await confirm({
        title: 'Discard unsaved changes?',
        body: 'What you changed here has not been saved.',
        action: 'Discard changes',
        danger: true,
      }))
    ) {
      return;
    }
    onClose();
  };
  return (
    <Drawer.Root
      opened={opened}
      onClose={() => void close()}
      position="right"
      size={size}
      zIndex={layer.zIndex}
      closeOnEscape={layer.isTop}
      trapFocus={layer.isTop}
      transitionProps={{ duration: 160 }}
      classNames={{ content: classes.content }}
    >
      <Drawer.Overlay backgroundOpacity={0.28} />
      <Drawer.Content>
        <div className={classes.header}>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          {actions}
          <Drawer.CloseButton aria-label="Close panel" />
        </div>
        <div className={classes.body} tabIndex={-1}>
          {children}
        </div>
        {footer ? <div className={classes.footer}>{footer}</div> : null}
      </Drawer.Content>
    </Drawer.Root>
  );
}
