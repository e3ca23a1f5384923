import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isCodeFailure } from '../api/failure.js';
import { FailedState } from '../design/states.js';

/** Starts the page anew once there is a server to load it from: a browser remembers code that it could not fetch. */
async function reload(): Promise<void> {
  const answer = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok) location.reload();
}

/** Shown instead of a blank page when a screen fails to draw or to load its code; the latter ends by itself. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  const unloaded = isCodeFailure(error);
  useEffect(() => {
    if (!unloaded) return undefined;
    const retry = () => void reload();
    window.addEventListener('online', retry);
    return () => window.removeEventListener('online', retry);
  }, [unloaded]);
  return <FailedState error={error} onRetry={unloaded ? () => void reload() : reset} />;
}
