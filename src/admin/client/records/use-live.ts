import type { RecordModel, RecordSubscription } from 'pocketbase';
import { useEffect, useRef, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { toastError } from '../design/toast.js';
import { LiveEvents } from './live-events.js';
import type { RecordChange } from './live-pages.js';
import { expandOf } from './record-query.js';

const GLOW_MS = 2200;

/**
 * Follows the changes of a collection as they happen, under the list's own filter (UI-78), and remembers for a moment
 * which rows changed (UI-20).
 */
export function useLive(
  collection: CollectionModel,
  filter: string,
  on: boolean,
  onChange: (change: RecordChange) => void,
  /** Nothing is heard: the list is not live. */
  onFailed: () => void,
): ReadonlySet<string> {
  const { data: collections = [] } = useCollections();
  const [changed, setChanged] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef(onChange);
  latest.current = onChange;
  const failed = useRef(onFailed);
  failed.current = onFailed;
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
    const service = api.collection(collection.id);
    const fits = async (id: string) => {
      const asked = { filter: `id = "${id}" && (${filter}\n)`, fields: 'id', skipTotal: true };
      return (await service.getList(1, 1, asked)).items.length > 0;
    };
    const events = new LiveEvents({ apply: (change) => latest.current(change), fits }, Boolean(filter));
    const follow = (event: RecordSubscription<RecordModel>) => {
      events.fitting(event as RecordChange);
      mark(event.record.id);
    };
    const subscribing = Promise.all([
      service.subscribe('*', follow, filter ? { expand, filter } : { expand }),
      ...(filter ? [service.subscribe('*', (event) => events.any(event as RecordChange), { fields: 'id' })] : []),
    ]);
    let isOver = false;
    subscribing.catch((error: unknown) => {
      if (isOver) return;
      toastError(error);
      failed.current();
    });
    return () => {
      isOver = true;
      events.stop();
      for (const timer of timers) clearTimeout(timer);
      const stop = async () => Promise.all((await subscribing).map((unsubscribe) => unsubscribe()));
      stop().catch(() => undefined);
    };
  }, [collection.id, filter, on, expand]);
  return changed;
}
