import './mantine-more-styles.js';
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSaveShortcut } from '../app/use-shortcut.js';
import { useConfirm } from './confirm.js';
import { useLayer } from './layers.js';
import classes from './side-panel.module.css';

interface SidePanelProps {
  readonly opened: boolean;
  /** Called with true when unsaved changes were there and are to be thrown away. */
  readonly onClose: (discarded: boolean) => void;
  readonly title: ReactNode;
  /** Controls at the right of the title. */
  readonly actions?: ReactNode;
  /** Gets what closes the panel, with the question about unsaved changes. */
  readonly footer?: ReactNode | ((close: () => void) => ReactNode);
  readonly size?: number;
  /** With unsaved changes closing asks first. */
  readonly dirty?: boolean;
  /** Whether an input inside takes the focus when it opens. */
  readonly inputFirst?: boolean;
  /** Is there nothing in it but texts? Then it is a stop of the Tab key itself, or nobody could scroll it by keys. */
  readonly isText?: boolean;
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
  inputFirst,
  isText = false,
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
    onClose(dirty ?? false);
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
      lockScroll={layer.isTop}
      transitionProps={{ duration: 160 }}
      classNames={{ content: classes.content }}
    >
      <Drawer.Overlay backgroundOpacity={0.28} />
      <Drawer.Content>
        <div className={classes.header}>
          <Drawer.Title className={classes.title} dir="auto">
            {title}
          </Drawer.Title>
          {actions}
          <Drawer.CloseButton aria-label="Close panel" />
        </div>
        {/* It takes the focus, so that keys scroll it and no control is ringed before one is wanted. */}
        <div className={classes.body} tabIndex={isText ? 0 : -1} data-autofocus={inputFirst ? undefined : true}>
          {children}
        </div>
        {footer ? (
          <div className={classes.footer}>{typeof footer === 'function' ? footer(() => void close()) : footer}</div>
        ) : null}
      </Drawer.Content>
    </Drawer.Root>
  );
}
