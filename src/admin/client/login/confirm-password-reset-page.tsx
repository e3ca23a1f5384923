import { Anchor, Button, PasswordInput, Stack } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { publicApi } from '../api/api.js';
import { PASSWORDS_DIFFER } from '../api/use-field-errors.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';
import { ErrorNote } from './error-note.js';
import { readTokenClaims } from './token-claims.js';
import { useSubmit } from './use-submit.js';

/** Sets a new password with the token of a mailed link, for any auth collection (AUTH-1605). */
export function ConfirmPasswordResetPage() {
  usePageTitle('New password');
  const { token } = useParams({ strict: false }) as { token: string };
  const { collectionId, email } = readTokenClaims(token);
  const [password, setPassword] = useState('');
  const [again, setAgain] = useState('');
  const { errors, error, busy, done, onSubmit } = useSubmit(
    async () => void (await publicApi().collection(collectionId!).confirmPasswordReset(token, password, again)),
    collectionId ? null : 'This link is not complete.',
  );
  if (done) {
    return (
      <EntranceFrame title="Password changed" lead="You can sign in with your new password now.">
        <Anchor href="#/login" size="sm">
          Superusers sign in here
        </Anchor>
      </EntranceFrame>
    );
  }
  return (
    <EntranceFrame title="New password" lead={email ? `For ${email}` : undefined}>
      <form
        onSubmit={(event) => {
          if (password === again) return onSubmit(event);
          event.preventDefault();
          return errors.add('passwordConfirm', PASSWORDS_DIFFER);
        }}
      >
        <ErrorNote message={errors.at('token') ?? error} />
        <Stack gap={14}>
          <PasswordInput
            label="New password"
            required
            withAsterisk={false}
            autoFocus
            autoComplete="new-password"
            error={errors.at('password')}
            aria-invalid={errors.at('password') ? true : undefined}
            value={password}
            onChange={(event) => {
              errors.clear('password');
              setPassword(event.currentTarget.value);
            }}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
          />
          <PasswordInput
            label="New password again"
            required
            withAsterisk={false}
            autoComplete="new-password"
            error={errors.at('passwordConfirm')}
            aria-invalid={errors.at('passwordConfirm') ? true : undefined}
            value={again}
            onChange={(event) => {
              errors.clear('passwordConfirm');
              setAgain(event.currentTarget.value);
            }}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the repeated password' }}
          />
          <Button type="submit" loading={busy} disabled={!collectionId}>
            Set new password
          </Button>
        </Stack>
      </form>
    </EntranceFrame>
  );
}
