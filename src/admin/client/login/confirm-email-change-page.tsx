import { Button, PasswordInput, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { publicApi } from '../api/api.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';
import { ErrorNote } from './error-note.js';
import { readTokenClaims } from './token-claims.js';
import { useSubmit } from './use-submit.js';

/** Changes the e-mail of an account after its password was entered (AUTH-1605). */
export function ConfirmEmailChangePage() {
  usePageTitle('Change e-mail');
  const { token } = useParams({ strict: false }) as { token: string };
  const { collectionId, newEmail } = readTokenClaims(token);
  const [password, setPassword] = useState('');
  const { errors, error, busy, done, onSubmit } = useSubmit(
    async () => void (await publicApi().collection(collectionId!).confirmEmailChange(token, password)),
    collectionId ? null : 'This link is not complete.',
  );
  if (done) return <EntranceFrame title="E-mail changed" lead={`Sign in with ${newEmail} from now on.`} />;
  return (
    <EntranceFrame
      title="Change e-mail"
      lead={newEmail ? `Enter your password to change your e-mail to ${newEmail}.` : undefined}
    >
      <form onSubmit={onSubmit}>
        <ErrorNote message={errors.at('token') ?? error} />
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
