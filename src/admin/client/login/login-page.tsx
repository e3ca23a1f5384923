import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ClientResponseError } from 'pocketbase';
import { useState, type FormEvent } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';
import { ErrorNote } from './error-note.js';
import { OtpForm } from './otp-form.js';

/** What the second step needs from the first. */
interface PendingMfa {
  readonly mfaId: string;
  /** The e-mail to send a code to, '' when the identity was something else. */
  readonly email: string;
}

function identityLabel(fields: readonly string[]): string {
  return fields.map((field) => (field === 'email' ? 'E-mail' : field[0]!.toUpperCase() + field.slice(1))).join(' or ');
}

/** Sign-in of superusers, with one-time codes as the second step when MFA is on (AUTH-1603). */
export function LoginPage({ again }: { again?: boolean }) {
  usePageTitle('Sign in');
  const methods = useQuery({
    queryKey: ['superuser-auth-methods'],
    queryFn: ({ signal }) => api.collection('_superusers').listAuthMethods({ signal }),
  });
  const fields = methods.data?.password.identityFields ?? ['email'];
  const onlyEmail = fields.length === 1 && fields[0] === 'email';
  const [identity, setIdentity] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [mfa, setMfa] = useState<PendingMfa | null>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await api.collection('_superusers').authWithPassword(identity.trim(), password);
    } catch (failure) {
      const mfaId = failure instanceof ClientResponseError && failure.status === 401 ? failure.response?.mfaId : '';
      if (mfaId) setMfa({ mfaId: String(mfaId), email: onlyEmail ? identity.trim() : '' });
      else if (failure instanceof ClientResponseError && failure.status === 400) {
        setError('The sign-in failed. Check what you entered.');
      } else setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };

  const lead = again
    ? 'Your session has ended. Sign in to go on where you were.'
    : methods.data?.mfa.enabled
      ? 'Step 1 of 2: your password'
      : 'Superusers of this Roost only.';
  if (mfa) return <OtpForm mfaId={mfa.mfaId} email={mfa.email} onBack={() => setMfa(null)} />;
  return (
    <EntranceFrame title="Sign in" lead={lead}>
      <form onSubmit={(event) => void submit(event)}>
        <ErrorNote message={error} />
        <Stack gap={14}>
          <TextInput
            label={identityLabel(fields)}
            type={onlyEmail ? 'email' : 'text'}
            required
            withAsterisk={false}
            autoFocus
            autoComplete="username"
            value={identity}
            onChange={(event) => setIdentity(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            required
            withAsterisk={false}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
          />
          <Button type="submit" loading={busy} fullWidth mt={4}>
            {methods.data?.mfa.enabled ? 'Continue' : 'Sign in'}
          </Button>
          <Anchor href="#/request-password-reset" target={again ? '_blank' : undefined} size="sm" ta="center">
            Forgotten password?
          </Anchor>
        </Stack>
      </form>
    </EntranceFrame>
  );
}
