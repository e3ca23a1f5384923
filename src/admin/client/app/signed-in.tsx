import { useQuery } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api } from '../api/api.js';
import { useSignedIn } from '../api/use-session.js';
import { FailedState, LoadingLines } from '../design/states.js';
import { Shell } from './shell.js';

const LoginPage = lazy(async () => ({ default: (await import('../login/login-page.js')).LoginPage }));
const SetupPage = lazy(async () => ({ default: (await import('../login/setup-page.js')).SetupPage }));

interface SetupState {
  required: boolean;
  tokenRequired: boolean;
}

/** The sign-in or, before there is a first superuser, the setup; in place, so that the address stays (UI-2). */
function Entrance() {
  const setup = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => api.send<SetupState>('/api/setup', { signal }),
    staleTime: 0,
  });
  if (setup.isPending) return <LoadingLines />;
  if (setup.isError) return <FailedState error={setup.error} onRetry={() => void setup.refetch()} />;
  return (
    <Suspense fallback={<LoadingLines />}>
      {setup.data.required ? <SetupPage tokenRequired={setup.data.tokenRequired} /> : <LoginPage />}
    </Suspense>
  );
}

/** Everything behind the sign-in. */
export function SignedIn() {
  if (!useSignedIn()) return <Entrance />;
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
