import type { RecordModel } from 'pocketbase';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { formOf, type FormValues } from './record-form.js';
import { mergedForm, theirChanges, type TheirChange } from './their-changes.js';

export interface TheirChanges {
  readonly record: RecordModel;
  readonly changes: readonly TheirChange[];
  /** They are in the form already: nothing had been changed here. */
  readonly isTaken: boolean;
}

interface Watched {
  readonly collection: CollectionModel;
  /** Undefined for a new record. */
  readonly record: RecordModel | undefined;
  readonly expand: string;
  readonly initial: FormValues | null;
  readonly values: FormValues;
  readonly dirty: boolean;
  /** It is being saved: what is heard of now may be its own doing. */
  readonly busy: boolean;
  /** Puts another stored record under the form, and values into it. */
  readonly onRebase: (record: RecordModel, values: FormValues) => void;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Hears of changes that somebody else makes to a record while it is open (UI-76). Where nothing was changed here they
 * go into the form at once; otherwise that is decided by whoever is at work in it.
 */
export function useTheirChanges(watched: Watched) {
  const { collection, record, expand, initial, values, dirty, busy, onRebase } = watched;
  const [heard, setHeard] = useState<RecordModel | null>(null);
  const [taken, setTaken] = useState<TheirChanges | null>(null);
  const [gone, setGone] = useState(false);
  const id = record?.id;
  useEffect(() => {
    if (!id) return undefined;
    const service = api.collection(collection.id);
    /** What is read now may be older than what is shown. */
    let isTooLate = false;
    const subscribing = service.subscribe(
      id,
      (event) => {
        isTooLate = true;
        if (event.action === 'delete') setGone(true);
        else setHeard(event.record);
      },
      { expand },
    );
    // What was changed after the record was read and before the stream told of changes.
    const look = async () => {
      await subscribing;
      const now = await service.getOne(id, { expand, requestKey: null });
      if (!isTooLate) setHeard(now);
    };
    // Without a stream it is seen when it is saved.
    look().catch(() => undefined);
    return () => {
      isTooLate = true;
      const stop = async () => (await subscribing)();
      stop().catch(() => undefined);
    };
  }, [collection.id, id, expand]);

  const changesOf = useCallback(
    (theirs: RecordModel) => (initial ? theirChanges(collection, initial, formOf(theirs, collection), values) : []),
    [collection, initial, values],
  );
  const changes = heard && !busy ? changesOf(heard) : [];
  const take = (theirs: RecordModel, wanted = NONE) => {
    onRebase(theirs, mergedForm(initial!, formOf(theirs, collection), values, wanted));
    setHeard(null);
  };
  const latest = useRef(() => undefined as void);
  latest.current = () => {
    if (!heard || dirty || busy || changes.length === 0) return;
    setTaken({ record: heard, changes, isTaken: true });
    take(heard);
  };
  useEffect(() => latest.current(), [heard, dirty, busy]);

  return {
    gone,
    /** What is to be told; null where nothing is. Where nothing was changed here it is told once it is in the form. */
    notice: heard && dirty && changes.length ? { record: heard, changes, isTaken: false } : taken,
    take,
    dismiss: () => setTaken(null),
    /** What is stored was loaded anew. */
    forget: () => {
      setHeard(null);
      setTaken(null);
    },
    /** What else was changed where it is changed here too, as it is stored now. */
    async contested(): Promise<TheirChanges | null> {
      if (!id) return null;
      const now = await api
        .collection(collection.id)
        .getOne(id, { expand })
        // The save itself will say what is wrong.
        .catch(() => heard);
      const found = now ? changesOf(now).filter(({ isContested }) => isContested) : [];
      return found.length ? { record: now!, changes: found, isTaken: false } : null;
    },
  };
}
