import { useCallback, useEffect, useRef, useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { draftValues } from './draft-values.js';
import type { FormValues } from './record-form.js';

function read(key: string): FormValues | null {
  try {
    const text = localStorage.getItem(key);
    return text ? (JSON.parse(text) as FormValues) : null;
  } catch {
    return null;
  }
}

/**
 * Unsaved changes, kept in this browser so that a closed tab loses nothing (UI-26). Passwords are never kept, and
 * files cannot be.
 */
export function useDraft(
  collection: CollectionModel,
  id: string | undefined,
  values: FormValues,
  initial: FormValues | null,
) {
  const key = `roost_draft_${collection.id}_${id ?? 'new'}`;
  const [found, setFound] = useState<FormValues | null>(() => read(key));

  /** Writes what has not been written yet. */
  const pending = useRef<(() => void) | null>(null);
  const dropped = useRef<FormValues | null>(null);
  const newest = useRef(values);
  newest.current = values;

  useEffect(() => {
    if (!initial || values === dropped.current) return undefined;
    const write = () => {
      pending.current = null;
      const draft = draftValues(collection, values, initial);
      // An offered draft stays until it is restored, discarded or replaced by newer changes.
      if (!draft) {
        if (!found) localStorage.removeItem(key);
        return;
      }
      try {
        localStorage.setItem(key, JSON.stringify(draft));
      } catch {
        // A full store costs the draft, not the form.
      }
    };
    pending.current = write;
    const timer = setTimeout(write, 400);
    return () => clearTimeout(timer);
  }, [key, values, initial, collection, found]);
  // Who goes back in the browser leaves faster than it is written.
  useEffect(() => () => pending.current?.(), []);

  const discard = useCallback(() => {
    pending.current = null;
    dropped.current = newest.current;
    localStorage.removeItem(key);
    setFound(null);
  }, [key]);
  return { found, accept: () => setFound(null), discard };
}
