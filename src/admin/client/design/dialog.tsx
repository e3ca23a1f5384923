import './mantine-more-styles.js';
import { Modal, useMantineTheme } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useLayer } from './layers.js';
import classes from './dialog.module.css';

interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: ReactNode;
  readonly size?: number | string;
  readonly footer?: ReactNode;
  /** Without inner padding, for content that brings its own frame. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A centred overlay for a question or a tool; the whole screen on a phone. */
export function Dialog({ opened, onClose, title, size = 560, footer, flush, children }: DialogProps) {
  const layer = useLayer(opened);
  const theme = useMantineTheme();
  const phone = useMediaQuery(`(max-width: ${theme.breakpoints.xs})`);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      centered
      fullScreen={phone}
      radius={phone ? 0 : 12}
      zIndex={layer.zIndex}
      closeOnEscape={layer.isTop}
      trapFocus={layer.isTop}
      lockScroll={layer.isTop}
      transitionProps={{ duration: 120 }}
      classNames={{ content: classes.content }}
    >
      <Modal.Overlay backgroundOpacity={0.36} />
      <Modal.Content>
        <div className={classes.header}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close dialog" />
        </div>
        <div className={flush ? classes.flush : classes.body}>{children}</div>
        {footer ? <div className={classes.footer}>{footer}</div> : null}
      </Modal.Content>
    </Modal.Root>
  );
}
