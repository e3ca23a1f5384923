import { Button } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { publicApi } from '../api/api.js';
import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';
import { readTokenClaims } from './token-claims.js';

/** Confirms an e-mail address as soon as the link is opened; offers a new link when it no longer works (AUTH-1605). */
export function ConfirmVerificationPage() {
  usePageTitle('Confirm e-mail');
  const { token } = useParams({ strict: false }) as { token: string };
  const { collectionId, email } = readTokenClaims(token);
  const [state, setState] = useState<'busy' | 'done' | 'failed' | 'resent'>('busy');
  const started = useRef(false);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    if (!collectionId) {
      setState('failed');
      return;
    }
    publicApi()
      .collection(collectionId)
      .confirmVerification(token)
      .then(
        () => setState('done'),
        () => setState('failed'),
      );
  }, [collectionId, token]);
  const resend = async () => {
    await publicApi()
      .collection(collectionId!)
      .requestVerification(email!)
      .catch(() => undefined);
    setState('resent');
  };
  if (state === 'busy') return <EntranceFrame title="Confirming…" />;
  if (state === 'done') return <EntranceFrame title="E-mail confirmed" lead="Thank you. You can close this page." />;
  if (state === 'resent') return <EntranceFrame title="Check your mail" lead={`A new link was sent to ${email}.`} />;
  return (
    <EntranceFrame
      title="This link no longer works"
      lead={`It is invalid or has expired.${collectionId && email ? '' : ' Ask for a new one where you signed up.'}`}
    >
      {collectionId && email ? <Button onClick={() => void resend()}>Send a new link to {email}</Button> : null}
    </EntranceFrame>
  );
}
