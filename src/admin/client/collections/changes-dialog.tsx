import { Button, Stack } from '@mantine/core';
import { IconAlertTriangle, IconArrowRight } from '@tabler/icons-react';
import { Dialog } from '../design/dialog.js';
import type { ReviewedChange } from './changes.js';
import classes from './collection-panel.module.css';

interface ChangesDialogProps {
  readonly changes: readonly ReviewedChange[];
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}

/** What a save is about to change, old beside new, with what will be lost (UI-46). */
export function ChangesDialog({ changes, onCancel, onConfirm }: ChangesDialogProps) {
  return (
    <Dialog
      opened
      onClose={onCancel}
      size={640}
      title="Review the changes"
      footer={
        <>
          <Button variant="default" onClick={onCancel}>
            Go back
          </Button>
          <Button onClick={onConfirm} data-autofocus>
            Save changes
          </Button>
        </>
      }
    >
      <Stack gap={10}>
        {changes.map((change) => (
          <div key={`${change.title} ${change.from}`} className={classes.change}>
            <div className={classes.changeTitle}>{change.title}</div>
            <div className={classes.changeValues}>
              <del className="mono">{change.from}</del>
              <IconArrowRight size={14} aria-label="becomes" />
              <ins className="mono">{change.to}</ins>
            </div>
            {change.loss ? (
              <div className={classes.loss}>
                <IconAlertTriangle size={14} aria-hidden /> {change.loss}
              </div>
            ) : null}
          </div>
        ))}
      </Stack>
    </Dialog>
  );
}
