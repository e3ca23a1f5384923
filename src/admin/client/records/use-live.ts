import type { RecordModel, RecordSubscription } from 'pocketbase';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { toastError } from '../design/toast.js';
import { expandOf } from './record-query.js';
import type { RecordChange } from './use-records.js';

const GLOW_MS = 2200;

/** Milliseconds in which the event for a list's filter follows the one for everything. */
const TOGETHER_MS = 400;

/**
 * Follows the changes of a collection as they happen and remembers for a moment which rows changed (UI-20). The server is
 * asked with the list's own filter (UI-78); what an update moves out of it, of which that tells nothing, is heard of
 * without the filter and leaves the list.
 */
export function useLive(
  collection: CollectionModel,
  filter: string,
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
    const fits = new Map<string, number>();
    const follow = (event: RecordSubscription<RecordModel>) => {
      fits.set(event.record.id, Date.now());
      latest.current({ action: event.action as RecordChange['action'], record: event.record });
      mark(event.record.id);
    };
    const leave = ({ action, record }: RecordSubscription<RecordModel>) => {
      if (action !== 'update') return;
      const heard = Date.now();
      const timer = setTimeout(() => {
        timers.delete(timer);
        if ((fits.get(record.id) ?? 0) < heard - TOGETHER_MS) latest.current({ action: 'delete', record });
      }, TOGETHER_MS);
      timers.add(timer);
    };
    const service = api.collection(collection.id);
    const subscribing = Promise.all([
      service.subscribe('*', follow, filter ? { expand, filter } : { expand }),
      filter ? service.subscribe('*', leave, { fields: 'id' }) : undefined,
    ]);
    subscribing.catch(toastError);
    return () => {
      for (const timer of timers) clearTimeout(timer);
      const stop = async () => Promise.all((await subscribing).map((unsubscribe) => unsubscribe?.()));
      stop().catch(() => undefined);
    };
  }, [collection.id, filter, on, expand]);
  return changed;
}
