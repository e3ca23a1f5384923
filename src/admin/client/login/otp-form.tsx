import { Anchor, Button, Group, Stack, TextInput } from '@mantine/core';
import { ClientResponseError } from 'pocketbase';
import { useCallback, useEffect, useRef, useState, type FormEvent } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { EntranceFrame } from './entrance-frame.js';
import { ErrorNote } from './error-note.js';

interface OtpFormProps {
  readonly mfaId: string;
  readonly email: string;
  readonly onBack: () => void;
}

/** The second step: a one-time code, sent by mail or made by `roost superuser otp`. */
export function OtpForm({ mfaId, email: knownEmail, onBack }: OtpFormProps) {
  const [email, setEmail] = useState(knownEmail);
  const [otpId, setOtpId] = useState('');
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const request = useCallback(async (address: string) => {
    setBusy(true);
    setError(null);
    try {
      setOtpId((await api.collection('_superusers').requestOTP(address)).otpId);
    } catch (failure) {
      // Throttled: the id of the last code stays usable.
      setError(
        failure instanceof ClientResponseError && failure.status === 429
          ? 'A code was sent a moment ago. Use that one, or wait before asking again.'
          : messageOf(failure),
      );
    } finally {
      setAsked(true);
      setBusy(false);
    }
  }, []);

  const started = useRef(false);
  useEffect(() => {
    if (!knownEmail || started.current) return;
    started.current = true;
    void request(knownEmail);
  }, [knownEmail, request]);

  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      // A body of its own replaces the one the SDK would send, so it has to be whole.
      const body = { otpId: otpId.trim(), password: code.trim(), mfaId };
      await api.collection('_superusers').authWithOTP(body.otpId, body.password, { body });
    } catch (failure) {
      setError(
        failure instanceof ClientResponseError && failure.status === 400
          ? 'This code is wrong or has expired.'
          : messageOf(failure),
      );
      setBusy(false);
    }
  };

  if (!asked) {
    return (
      <EntranceFrame title="One more step" lead="Step 2 of 2: a one-time code, sent by e-mail">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void request(email.trim());
          }}
        >
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
              Send the code
            </Button>
            <Anchor component="button" type="button" size="sm" onClick={() => setAsked(true)}>
              I have a code already
            </Anchor>
          </Stack>
        </form>
      </EntranceFrame>
    );
  }
  return (
    <EntranceFrame
      title="Enter your code"
      lead={email ? `Step 2 of 2: a code was sent to ${email}` : 'Step 2 of 2: a one-time code'}
    >
      <form onSubmit={(event) => void signIn(event)}>
        <ErrorNote message={error} />
        <Stack gap={14}>
          <TextInput
            label="Code id"
            required
            withAsterisk={false}
            className="mono"
            value={otpId}
            onChange={(event) => setOtpId(event.currentTarget.value)}
          />
          <TextInput
            label="One-time code"
            required
            withAsterisk={false}
            autoFocus
            autoComplete="one-time-code"
            inputMode="numeric"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy}>
            Sign in
          </Button>
          <Group justify="space-between">
            <Anchor component="button" type="button" size="sm" onClick={onBack}>
              Back
            </Anchor>
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={() => (email ? void request(email) : setAsked(false))}
            >
              Send another code
            </Anchor>
          </Group>
        </Stack>
      </form>
    </EntranceFrame>
  );
}
