import { Button, NumberInput, Stack, Switch } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../api/api.js';
import { useConfirm } from '../design/confirm.js';
import { Dialog } from '../design/dialog.js';
import { ErrorDetails } from '../design/error-details.js';
import { LoadingForm } from '../design/loading-shapes.js';
import { FailedState } from '../design/states.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { useSettingsForm } from '../settings/use-settings-form.js';
import { LEVELS, levelName } from './log-model.js';

/** What is logged and for how long (UI-52). */
export function LogsSettingsDialog({ onClose, onDeleted }: { onClose: () => void; onDeleted: () => void }) {
  const form = useSettingsForm(['logs']);
  const confirm = useConfirm();
  const logs = form.settings?.logs;
  const [removing, setRemoving] = useState(false);
  const removeAll = async () => {
    if (
      !(await confirm({
        title: 'Delete all logs?',
        body: 'Every entry is gone for good.',
        action: 'Delete all logs',
        danger: true,
      }))
    )
      return;
    setRemoving(true);
    try {
      await api.logs.truncate();
      toastSuccess('All logs were deleted.');
      onDeleted();
    } catch (error) {
      toastError(error);
    } finally {
      setRemoving(false);
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title="Settings of the logs"
      size={480}
      footer={
        <>
          <Button
            variant="subtle"
            color="red.9"
            mr="auto"
            leftSection={<IconTrash size={15} />}
            loading={removing}
            onClick={() => void removeAll()}
            styles={{ root: { color: 'var(--danger)' } }}
          >
            Delete all logs
          </Button>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            disabled={!form.dirty}
            loading={form.busy}
            onClick={() => void form.save().then((saved) => saved && onClose())}
          >
            Save
          </Button>
        </>
      }
    >
      {logs ? (
        <Stack gap={14}>
          <ErrorDetails error={form.failure} />
          <NumberInput
            label="Days to keep"
            description="0: nothing is stored, and what is there is deleted."
            min={0}
            data-autofocus
            {...form.number('logs', 'maxDays')}
          />
          <NumberInput
            label={`Lowest level: ${levelName(logs.minLevel)}`}
            description={LEVELS.map(({ level, name }) => `${name} ${level}`).join(', ')}
            {...form.number('logs', 'minLevel')}
          />
          <Switch label="Log addresses" description="The IP of the client." {...form.toggle('logs', 'logIP')} />
          <Switch label="Log who" description="The id of the signed-in record." {...form.toggle('logs', 'logAuthId')} />
        </Stack>
      ) : form.loadError ? (
        <FailedState error={form.loadError} onRetry={form.reload} />
      ) : (
        <LoadingForm inputs={2} />
      )}
    </Dialog>
  );
}
