import { useEffect } from 'react';
import { usePageTitle } from '../app/use-page-title.js';
import { EntranceFrame } from './entrance-frame.js';

function useCloseWindow(): void {
  useEffect(() => {
    window.close();
  }, []);
}

/** Where the window of an OAuth2 sign-in ends up when all went well. */
export function OAuth2SuccessPage() {
  usePageTitle('Signed in');
  useCloseWindow();
  return <EntranceFrame title="You are signed in" lead="You can close this window and go back to the application." />;
}

/** Where the window of an OAuth2 sign-in ends up when the provider or the exchange refused. */
export function OAuth2FailurePage() {
  usePageTitle('Sign-in failed');
  useCloseWindow();
  return (
    <EntranceFrame title="The sign-in failed" lead="Close this window, go back to the application and try again." />
  );
}
