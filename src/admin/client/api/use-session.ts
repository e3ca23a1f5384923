import type { RecordModel } from 'pocketbase';
import { useMemo, useSyncExternalStore } from 'react';
import { api } from './api.js';

function subscribe(onChange: () => void): () => void {
  return api.authStore.onChange(onChange);
}

/** Whether somebody is signed in, with a token that has not expired. A renewed one changes nothing. */
export function useSignedIn(): boolean {
  return useSyncExternalStore(subscribe, () => api.authStore.isValid);
}

/** The signed-in superuser; the same object until something about it changes. */
export function useSuperuser(): RecordModel | null {
  const stored = useSyncExternalStore(subscribe, () => JSON.stringify(api.authStore.record));
  return useMemo(() => JSON.parse(stored) as RecordModel | null, [stored]);
}
