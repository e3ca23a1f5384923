import type { ErrorComponentProps } from '@tanstack/react-router';
import { FailedState } from '../design/states.js';

/** Shown instead of a blank page when a screen fails to draw or to load its code. */
export function CrashPage({ error, reset }: ErrorComponentProps) {
  return (
    <main>
      <FailedState error={error} onRetry={reset} />
    </main>
  );
}
