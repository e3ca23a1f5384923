import { useEffect, useRef, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { toastError } from '../design/toast.js';
import { expandOf } from './record-query.js';
import type { RecordChange } from './use-records.js';

const GLOW_MS = 2200;

/** Follows the changes of a collection as they happen and remembers for a moment which rows changed (UI-20). */
export function useLive(
  collection: CollectionModel,
  on: boolean,
  onChange: (change: RecordChange) => void,
): ReadonlySet<string> {
  const { data: collections = [] } = useCollections();
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef(onChange);
  latest.current = onChange;
  const expand = expandOf(collection, collections);
  useEffect(() => {
    if (!on) return undefined;
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const mark = (id: string) => {
      setChanged((current) => new Set([...current, id]));
      const timer = setTimeout(() => {
        timers.delete(timer);
        setChanged((current) => new Set([...current].filter((each) => each !== id)));
      }, GLOW_MS);
      timers.add(timer);
    };
    let ended = false;
    let stop: (() => Promise<void>) | undefined;
    api
      .collection(collection.id)
      .subscribe(
        '*',
        (event) => {
          latest.current({ action: event.action as RecordChange['action'], record: event.record });
          mark(event.record.id);
        },
        { expand },
      )
      .then((unsubscribe) => {
        stop = unsubscribe;
        return ended ? unsubscribe() : undefined;
      }, toastError);
    return () => {
      ended = true;
      for (const timer of timers) clearTimeout(timer);
      void stop?.().catch(() => undefined);
    };
  }, [collection.id, on, expand]);
  return changed;
}
