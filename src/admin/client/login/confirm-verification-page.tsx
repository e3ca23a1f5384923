import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ClientResponseError } from 'pocketbase';
import { useEffect, useRef, useState } from 'react';
import { publicApi } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';
import { ErrorNote } from './error-note.js';
import { readTokenClaims } from './token-claims.js';

/** Confirms an e-mail address as soon as the link is opened; offers a new link when it no longer works (AUTH-1605). */
export function ConfirmVerificationPage() {
  usePageTitle('Confirm e-mail');
  const { token } = useParams({ strict: false }) as { token: string };
  const { collectionId, email } = readTokenClaims(token);
  const [state, setState] = useState<'busy' | 'done' | 'failed' | 'unanswered' | 'resent'>('busy');
  const [error, setError] = useState<string | null>(null);
  const [resending, setResending] = useState(false);
  const started = useRef(false);
  const confirm = async () => {
    setState('busy');
    try {
      await publicApi().collection(collectionId!).confirmVerification(token);
      setState('done');
    } catch (failure) {
      // Only a server that has looked at it can say that a link is of no more use.
      const refused = failure instanceof ClientResponseError && [400, 404].includes(failure.status);
      setError(refused ? null : messageOf(failure));
      setState(refused ? 'failed' : 'unanswered');
    }
  };
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    if (collectionId) void confirm();
    else setState('failed');
    // Once for a link.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [collectionId, token]);
  const resend = async () => {
    setResending(true);
    setError(null);
    try {
      await publicApi().collection(collectionId!).requestVerification(email!);
      setState('resent');
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setResending(false);
    }
  };
  if (state === 'busy') return <EntranceFrame title="Confirming…" />;
  if (state === 'done') return <EntranceFrame title="E-mail confirmed" lead="Thank you. You can close this page." />;
  if (state === 'resent') return <EntranceFrame title="Check your mail" lead={`A new link was sent to ${email}.`} />;
  if (state === 'unanswered')
    return (
      <EntranceFrame title="Not confirmed yet">
        <ErrorNote message={error} />
        <Button onClick={() => void confirm()}>Try again</Button>
      </EntranceFrame>
    );
  return (
    <EntranceFrame
      title="This link no longer works"
      lead={`It is invalid or has expired. ${collectionId && email ? `A new one can be sent to ${email}.` : 'Ask for a new one where you signed up.'}`}
    >
      <ErrorNote message={error} />
      {collectionId && email ? (
        <Button loading={resending} onClick={() => void resend()}>
          Send a new link
        </Button>
      ) : null}
    </EntranceFrame>
  );
}
