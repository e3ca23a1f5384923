import { Anchor, Button, Stack, TextInput } from '@mantine/core';
import { ClientResponseError } from 'pocketbase';
import { useState, type FormEvent } from 'react';
import { publicApi } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';
import { ErrorNote } from './error-note.js';

/** Forgotten password of a superuser. Says the same whether the address is known or not (AUTH-1604). */
export function RequestPasswordResetPage() {
  usePageTitle('Forgotten password');
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await publicApi().collection('_superusers').requestPasswordReset(email.trim());
      setSent(true);
    } catch (failure) {
      if (failure instanceof ClientResponseError && failure.status === 400) setSent(true);
      else setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  if (sent) {
    return (
      <EntranceFrame
        title="Check your mail"
        lead={`If ${email} belongs to a superuser, a link to set a new password is on its way.`}
      >
        <Anchor href="#/login" size="sm">
          Back to the sign-in
        </Anchor>
      </EntranceFrame>
    );
  }
  return (
    <EntranceFrame
      title="Forgotten password"
      lead="Enter the e-mail of your superuser account. A link to set a new password will be sent to it."
    >
      <form onSubmit={(event) => void submit(event)}>
        <ErrorNote message={error} />
        <Stack gap={14}>
          <TextInput
            label="E-mail"
            type="email"
            required
            withAsterisk={false}
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy}>
            Send the link
          </Button>
          <Anchor href="#/login" size="sm" ta="center">
            Back to the sign-in
          </Anchor>
        </Stack>
      </form>
    </EntranceFrame>
  );
}
