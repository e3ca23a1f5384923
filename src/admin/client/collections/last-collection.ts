import { readLocalStorageValue } from '@mantine/hooks';

const KEY = 'roost_last_collection';

/** The id of the collection that was open last in this browser, '' before the first (UI-15). */
export function lastCollection(): string {
  return readLocalStorageValue({ key: KEY, defaultValue: '' });
}

/** Nothing that is shown depends on it, so nothing is drawn anew. */
export function rememberCollection(id: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(id));
  } catch {
    // A browser that stores nothing opens the first collection.
  }
}
