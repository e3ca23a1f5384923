import type { RecordModel } from 'pocketbase';
import { useSyncExternalStore } from 'react';
import { api } from './api.js';

function subscribe(onChange: () => void): () => void {
  return api.authStore.onChange(onChange);
}

/** The token of the signed-in superuser, '' when there is none or it has expired. */
export function useToken(): string {
  return useSyncExternalStore(subscribe, () => (api.authStore.isValid ? api.authStore.token : ''));
}

/** The signed-in superuser. */
export function useSuperuser(): RecordModel | null {
  useToken();
  return api.authStore.record;
}
