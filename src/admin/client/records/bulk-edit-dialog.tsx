import { Button, Progress, Select, Stack } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { errorAt, errorTreeOf, messageOf } from '../api/failure.js';
import { Dialog } from '../design/dialog.js';
import { toastSuccess } from '../design/toast.js';
import { FieldInput } from '../fields/field-input.js';
import { ErrorNote } from '../login/error-note.js';
import { bodyOf, emptyForm } from './record-form.js';

interface BulkEditDialogProps {
  readonly collection: CollectionModel;
  readonly ids: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const LEFT_OUT = new Set(['autodate', 'password', 'file']);

/** Gives one field of several records the same value (UI-19). */
export function BulkEditDialog({ collection, ids, onClose, onDone }: BulkEditDialogProps) {
  const fields = collection.fields.filter(
    (field) =>
      field.name !== 'id' &&
      !LEFT_OUT.has(field.type) &&
      !(collection.type === 'auth' && ['tokenKey', 'email'].includes(field.name)),
  );
  const [name, setName] = useState<string | null>(null);
  const [value, setValue] = useState<unknown>('');
  const [done, setDone] = useState<number | null>(null);
  // Some records were changed before one failed.
  const [stopped, setStopped] = useState(false);
  const close = stopped ? onDone : onClose;
  const [error, setError] = useState<string | null>(null);
  const field = fields.find((each) => each.name === name);
  const apply = async () => {
    if (!field) return;
    const empty = emptyForm(collection);
    const { body, errors } = bodyOf({ [field.name]: value }, {}, collection, false);
    if (errors[field.name]) {
      setError(errors[field.name]!.message);
      return;
    }
    setError(null);
    setDone(0);
    let changed = 0;
    try {
      for (const [index, id] of ids.entries()) {
        await api.collection(collection.id).update(id, { [field.name]: body[field.name] ?? empty[field.name] });
        changed = index + 1;
        setDone(changed);
      }
      toastSuccess(`Changed ${field.name} of ${ids.length} records.`);
      onDone();
    } catch (failure) {
      const why = errorAt(errorTreeOf(failure), field.name) ?? messageOf(failure);
      setError(changed ? `${changed} of ${ids.length} were changed, then it stopped: ${why}` : why);
      setStopped(changed > 0);
      setDone(null);
    }
  };
  return (
    <Dialog
      opened
      onClose={close}
      title={`Edit a field of ${ids.length} ${ids.length === 1 ? 'record' : 'records'}`}
      footer={
        <>
          <Button variant="default" onClick={close} disabled={done !== null}>
            Cancel
          </Button>
          <Button disabled={!field} loading={done !== null} onClick={() => void apply()}>
            Change {ids.length} {ids.length === 1 ? 'record' : 'records'}
          </Button>
        </>
      }
    >
      <Stack gap={14}>
        <ErrorNote message={error} />
        <Select
          label="Field"
          searchable
          data-autofocus
          data={fields.map((each) => each.name)}
          value={name}
          onChange={(next) => {
            setName(next);
            setValue(next ? emptyForm(collection)[next] : '');
          }}
        />
        {field ? (
          <FieldInput key={field.id} field={field} collection={collection} value={value} onChange={setValue} />
        ) : null}
        {done === null ? null : <Progress value={(done / ids.length) * 100} aria-label="Progress" />}
      </Stack>
    </Dialog>
  );
}
