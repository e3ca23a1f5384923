import { Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { api } from '../api/api.js';
import { errorAt, errorTreeOf, messageOf } from '../api/failure.js';
import { useFieldErrors } from '../api/use-field-errors.js';
import { Dialog } from '../design/dialog.js';
import { toastSuccess } from '../design/toast.js';
import { ErrorNote } from '../login/error-note.js';

/** Makes a backup under a chosen or an automatic name. */
export function CreateBackupDialog({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const errors = useFieldErrors();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await api.backups.create(name.trim());
      toastSuccess('The backup is complete.');
      onCreated();
    } catch (failure) {
      errors.set(failure);
      if (!errorAt(errorTreeOf(failure), 'name')) setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened onClose={onClose} title="New backup" size={460}>
      <form onSubmit={(event) => void create(event)}>
        <Stack gap={14}>
          <p style={{ margin: 0, color: 'var(--ink-2)' }}>
            Records, settings, logs and local files, as they are at this moment, in one zip. The server goes on
            meanwhile. Files on S3 are not part of it. A backup holds secrets: keep it as safe as the server.
          </p>
          <ErrorNote message={error} />
          <TextInput
            label="Name"
            description="Letters, digits, blanks and _ - . ( ) @ +, ending in .zip. Empty: a name with the time."
            placeholder="automatic"
            data-autofocus
            value={name}
            error={errors.at('name')}
            onChange={(event) => {
              errors.clear('name');
              setName(event.currentTarget.value);
            }}
          />
          <Button type="submit" loading={busy}>
            Make backup
          </Button>
        </Stack>
      </form>
    </Dialog>
  );
}
