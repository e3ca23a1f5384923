import { Button, Select, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { useCollections } from '../api/queries.js';
import { useFieldErrors } from '../api/use-field-errors.js';
import { useStored } from '../app/use-stored.js';
import { Dialog } from '../design/dialog.js';
import { toastSuccess } from '../design/toast.js';
import { ErrorNote } from '../login/error-note.js';

const TEMPLATES = [
  { value: 'verification', label: 'Verification' },
  { value: 'password-reset', label: 'Password reset' },
  { value: 'email-change', label: 'E-mail change' },
  { value: 'otp', label: 'One-time code' },
  { value: 'login-alert', label: 'Sign-in from a new place' },
];

/** Sends one of the mails of an auth collection to an address, which is remembered. */
export function TestMailDialog({ initialCollection, onClose }: { initialCollection?: string; onClose: () => void }) {
  const { data: collections = [] } = useCollections();
  const accounts = collections.filter((each) => each.type === 'auth');
  const [chosen, setChosen] = useState(initialCollection);
  const collection = chosen ?? accounts.find((each) => !each.system)?.id ?? accounts[0]?.id ?? null;
  const [template, setTemplate] = useState<string | null>('verification');
  const [email, setEmail] = useStored('roost_test_mail', '');
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const errors = useFieldErrors();
  const send = async (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setBusy(true);
    setError(null);
    errors.reset();
    try {
      await api.settings.testEmail(collection ?? '', email.trim(), template ?? '');
      toastSuccess(`A test mail was sent to ${email.trim()}.`);
      onClose();
    } catch (failure) {
      errors.set(failure);
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened onClose={onClose} title="Send test e-mail" size={440}>
      <form onSubmit={(event) => void send(event)}>
        <Stack gap={14}>
          <ErrorNote message={error} />
          <Select
            label="Auth collection"
            allowDeselect={false}
            value={collection}
            data={accounts.map((each) => ({ value: each.id, label: each.name }))}
            error={errors.at('collection')}
            onChange={(value) => setChosen(value ?? undefined)}
          />
          <Select
            label="Mail"
            allowDeselect={false}
            value={template}
            data={TEMPLATES}
            error={errors.at('template')}
            onChange={setTemplate}
          />
          <TextInput
            label="To"
            type="email"
            required
            data-autofocus
            value={email}
            error={errors.at('email')}
            onChange={(event) => {
              errors.clear('email');
              setEmail(event.currentTarget.value);
            }}
          />
          <Button type="submit" loading={busy}>
            Send
          </Button>
        </Stack>
      </form>
    </Dialog>
  );
}
