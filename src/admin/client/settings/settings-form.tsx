import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SettingsModel } from '../api/models.js';
import { useSaveShortcut } from '../app/use-shortcut.js';
import { ErrorDetails } from '../design/error-details.js';
import { LoadingForm } from '../design/loading-shapes.js';
import { useLeaveQuestion } from '../design/use-leave-question.js';
import { FailedState } from '../design/states.js';
import classes from './settings.module.css';
import type { SettingsForm as Form } from './use-settings-form.js';

interface SettingsFormProps {
  readonly form: Form;
  readonly onSave?: () => void;
  readonly children: (settings: SettingsModel) => ReactNode;
}

/** The frame of a screen of settings: loading, failing, errors, Save and Cancel. */
export function SettingsForm({ form, onSave, children }: SettingsFormProps) {
  const save = onSave ?? (() => void form.save());
  useSaveShortcut(form.dirty, save);
  useLeaveQuestion(form.dirty && !form.busy);
  if (form.loadError && !form.settings) return <FailedState error={form.loadError} onRetry={form.reload} />;
  if (!form.settings) return <LoadingForm />;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack gap={16}>
        <ErrorDetails error={form.failure} />
        {children(form.settings)}
      </Stack>
      <div className={classes.saveBar}>
        <Button variant="default" disabled={!form.dirty || form.busy} onClick={form.reset}>
          Cancel
        </Button>
        <Button type="submit" disabled={!form.dirty} loading={form.busy}>
          Save changes
        </Button>
      </div>
    </form>
  );
}
