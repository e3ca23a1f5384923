import { Alert, Button, Group } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import type { RecordModel } from 'pocketbase';
import { useState } from 'react';
import { Dialog } from '../design/dialog.js';
import { ChangeList } from './change-list.js';
import type { FormValues } from './record-form.js';
import type { TheirChanges } from './use-their-changes.js';

interface TheirChangesProps {
  readonly theirs: TheirChanges;
  readonly before: RecordModel;
  readonly values: FormValues;
  readonly onTake: (wanted: ReadonlySet<string>) => void;
}

/** Tells what somebody else has changed meanwhile (UI-76). */
export function TheirChangesNotice(props: TheirChangesProps & { readonly onDismiss: () => void }) {
  const { theirs, before, values, onTake, onDismiss } = props;
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  return (
    <Alert
      icon={<IconUsers size={18} />}
      color="accent"
      title="Somebody else has just changed this record"
      role="status"
    >
      <p style={{ margin: '0 0 8px' }}>
        {theirs.isTaken
          ? 'You had changed nothing, so the form shows what is stored now:'
          : 'What you changed is still here. These fields are stored with other values now:'}
      </p>
      <ChangeList
        changes={theirs.changes}
        before={theirs.isTaken ? undefined : before}
        theirs={theirs.record}
        mine={values}
        wanted={wanted}
        onWant={setWanted}
      />
      <Group gap={8} mt={10}>
        {theirs.isTaken ? (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onDismiss}>
            Dismiss
          </Button>
        ) : (
          <Button size="compact-sm" onClick={() => onTake(wanted)}>
            Take them over
          </Button>
        )}
      </Group>
    </Alert>
  );
}

/** Asks what stays of fields that were changed here and elsewhere, before they are saved (UI-76). */
export function ConflictDialog(props: TheirChangesProps & { readonly onClose: () => void }) {
  const { theirs, before, values, onTake, onClose } = props;
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Somebody else changed the same fields"
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button data-autofocus onClick={() => onTake(wanted)}>
            Save
          </Button>
        </>
      }
    >
      <p style={{ marginTop: 0 }}>Choose what is to be stored. The other value is lost.</p>
      <ChangeList
        changes={theirs.changes}
        before={before}
        theirs={theirs.record}
        mine={values}
        wanted={wanted}
        onWant={setWanted}
      />
    </Dialog>
  );
}
