import { readLocalStorageValue, useLocalStorage } from '@mantine/hooks';

const STORED = { key: 'roost_last_collection', defaultValue: '' };

/** The id of the collection that was open last in this browser, '' before the first (UI-15). */
export function lastCollection(): string {
  return readLocalStorageValue(STORED);
}

/** The same for a component that also changes it. */
export function useLastCollection() {
  return useLocalStorage({ ...STORED, getInitialValueInEffect: false });
}
