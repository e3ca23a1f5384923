import { Button, Stack, Switch, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import type { ListViewModel } from '../api/models.js';
import { useFieldErrors } from '../api/use-field-errors.js';
import { messageOf } from '../api/failure.js';
import { Dialog } from '../design/dialog.js';
import { ErrorNote } from '../login/error-note.js';
import { saveView, type ShownList } from './list-views.js';

interface ViewDialogProps {
  readonly collection: CollectionModel;
  readonly shown: ShownList;
  /** What gets another name; absent for a new one. */
  readonly view?: ListViewModel;
  readonly onClose: () => void;
  readonly onSaved: (view: ListViewModel) => Promise<void>;
}

/** Asks for the name of a view, and whom it is for. */
export function ViewDialog({ collection, shown, view, onClose, onSaved }: ViewDialogProps) {
  const [name, setName] = useState(view?.name ?? '');
  const [shared, setShared] = useState(view?.shared ?? false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const errors = useFieldErrors();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      const { filter, sort, columns } = shown;
      await onSaved(
        await saveView(collection, { name: name.trim(), shared, filter, sort, columns } as never, view?.id),
      );
    } catch (error) {
      errors.set(error);
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      size={460}
      title={view ? 'Rename or share the view' : 'Save as a new view'}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form="list-view" loading={busy} disabled={!name.trim()}>
            Save view
          </Button>
        </>
      }
    >
      <form id="list-view" onSubmit={(event) => void save(event)}>
        <Stack gap={14}>
          <ErrorNote message={failure} />
          <TextInput
            label="Name"
            data-autofocus
            dir="auto"
            maxLength={100}
            value={name}
            error={errors.at('name')}
            onChange={(event) => {
              errors.clear('name');
              setName(event.currentTarget.value);
            }}
          />
          <Switch
            label="For all superusers"
            checked={shared}
            onChange={(event) => setShared(event.currentTarget.checked)}
          />
          <p className="hint" style={{ margin: 0 }}>
            Keeps the filter, the order and the columns as they are shown now.
          </p>
        </Stack>
      </form>
    </Dialog>
  );
}
