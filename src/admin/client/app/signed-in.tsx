import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, type ReactNode } from 'react';
import { api } from '../api/api.js';
import type { SetupStatus } from '../api/models.js';
import { collectionsQuery } from '../api/queries.js';
import { useSignedIn } from '../api/use-session.js';
import { FailedState, LoadingLines } from '../design/states.js';
import frame from '../login/entrance-frame.module.css';
import { RecordPanelContext } from '../records/record-panel-context.js';
import { Shell } from './shell.js';

const LoginPage = lazy(async () => ({ default: (await import('../login/login-page.js')).LoginPage }));
const SetupPage = lazy(async () => ({ default: (await import('../login/setup-page.js')).SetupPage }));
const RecordPanel = lazy(async () => ({ default: (await import('../records/record-panel.js')).RecordPanel }));
const SessionCurtain = lazy(async () => ({
  default: (await import('../login/session-curtain.js')).SessionCurtain,
}));

/** The frame of the sign-in while it is not known yet what stands in it. */
function EntranceOutline({ children }: { children: ReactNode }) {
  return (
    <main className={frame.page}>
      <div className={frame.card}>{children}</div>
    </main>
  );
}

/** The sign-in or, before there is a first superuser, the setup; in place, so that the address stays (UI-2). */
export function Entrance({ again }: { again?: boolean }) {
  const setup = useQuery({
    queryKey: ['setup'],
    queryFn: ({ signal }) => api.send<SetupStatus>('/api/setup', { signal }),
    staleTime: 0,
  });
  const waiting = (
    <EntranceOutline>
      <LoadingLines />
    </EntranceOutline>
  );
  if (setup.isPending) return waiting;
  if (setup.isError)
    return (
      <EntranceOutline>
        <FailedState error={setup.error} onRetry={() => void setup.refetch()} />
      </EntranceOutline>
    );
  return <Suspense fallback={waiting}>{setup.data.required ? <SetupPage /> : <LoginPage again={again} />}</Suspense>;
}

/** Everything behind the sign-in. What was open when a session ended by itself waits for the next one (UI-2). */
export function SignedIn() {
  const signedIn = useSignedIn();
  const queries = useQueryClient();
  // Who signs out leaves nothing behind.
  const wasHere = queries.getQueryData(collectionsQuery.queryKey) !== undefined;
  if (!signedIn && !wasHere) return <Entrance />;
  return (
    <RecordPanelContext value={RecordPanel}>
      <Shell>
        <Outlet />
      </Shell>
      {signedIn ? null : (
        <Suspense fallback={null}>
          <SessionCurtain>
            <Entrance again />
          </SessionCurtain>
        </Suspense>
      )}
    </RecordPanelContext>
  );
}
