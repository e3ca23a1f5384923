import { createContext, useContext } from 'react';
import type { TabSync } from './tab-sync.js';

/** The synchroniser of this tab; provided once in `main.tsx`. */
export const TabSyncContext = createContext<TabSync | null>(null);

/** The synchroniser of this tab. */
export function useTabSync(): TabSync {
  const sync = useContext(TabSyncContext);
  if (!sync) throw new Error('useTabSync needs a TabSyncContext.');
  return sync;
}

/** Tells this tab and the others that collections or settings have changed. */
export function useChanged(): TabSync['changed'] {
  const sync = useTabSync();
  return (topic) => sync.changed(topic);
}
