import { readLocalStorageValue } from '@mantine/hooks';
import { useCallback, useEffect, useState } from 'react';

/** Sets the value, or makes it from the current one. */
export type SetStored<T> = (next: T | ((current: T) => T)) => void;

/**
 * A choice that this browser keeps, in step between its tabs; `first` until there is one. Lives in the component alone
 * when the browser stores nothing. Unlike Mantine's it writes only what was chosen: to write what it has read, and to
 * draw everything again with an equal value, would be a good part of a first visit (OPS-203). The key must stay the
 * same.
 */
export function useStored<T>(key: string, first: T): [T, SetStored<T>] {
  const [value, setValue] = useState<T>(() => readLocalStorageValue<T>({ key, defaultValue: first }));
  useEffect(() => {
    const listen = (event: StorageEvent) => {
      if (event.storageArea !== localStorage || event.key !== key) return;
      setValue((current) => readLocalStorageValue<T>({ key, defaultValue: current }));
    };
    window.addEventListener('storage', listen);
    return () => window.removeEventListener('storage', listen);
  }, [key]);
  const store = useCallback<SetStored<T>>(
    (next) =>
      setValue((current) => {
        const wanted = typeof next === 'function' ? (next as (current: T) => T)(current) : next;
        try {
          localStorage.setItem(key, JSON.stringify(wanted));
        } catch {
          // It is kept as long as the page.
        }
        return wanted;
      }),
    [key],
  );
  return [value, store];
}
