import { Button, PasswordInput, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { publicApi } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { useFieldErrors } from '../api/use-field-errors.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';
import { ErrorNote } from './error-note.js';
import { readTokenClaims } from './token-claims.js';

/** Changes the e-mail of an account after its password was entered (AUTH-1605). */
export function ConfirmEmailChangePage() {
  usePageTitle('Change e-mail');
  const { token } = useParams({ strict: false }) as { token: string };
  const { collectionId, newEmail } = readTokenClaims(token);
  const errors = useFieldErrors();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(collectionId ? null : 'This link is not complete.');
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await publicApi().collection(collectionId!).confirmEmailChange(token, password);
      setDone(true);
    } catch (failure) {
      errors.set(failure);
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  if (done) return <EntranceFrame title="E-mail changed" lead={`Sign in with ${newEmail} from now on.`} />;
  return (
    <EntranceFrame
      title="Change e-mail"
      lead={newEmail ? `Enter your password to change your e-mail to ${newEmail}.` : undefined}
    >
      <form onSubmit={(event) => void submit(event)}>
        <ErrorNote message={error ?? errors.at('token')} />
        <Stack gap={14}>
          <PasswordInput
            label="Current password"
            required
            withAsterisk={false}
            autoFocus
            autoComplete="current-password"
            error={errors.at('password')}
            value={password}
            onChange={(event) => {
              errors.clear('password');
              setPassword(event.currentTarget.value);
            }}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
          />
          <Button type="submit" loading={busy} disabled={!collectionId}>
            Change e-mail
          </Button>
        </Stack>
      </form>
    </EntranceFrame>
  );
}
