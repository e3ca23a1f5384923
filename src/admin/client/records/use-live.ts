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

/** What was heard of a record that was changed: of how many updates, and of how many of them with the list's filter. */
interface Heard {
  readonly timer: ReturnType<typeof setTimeout> | undefined;
  readonly updates: number;
  readonly fitting: number;
}

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
    const service = api.collection(collection.id);
    const heard = new Map<string, Heard>();
    const hear = (id: string, more: Partial<Heard>) => {
      heard.set(id, { timer: undefined, updates: 0, fitting: 0, ...heard.get(id), ...more });
    };
    const follow = ({ action, record }: RecordSubscription<RecordModel>) => {
      if (filter && action === 'update') hear(record.id, { fitting: (heard.get(record.id)?.fitting ?? 0) + 1 });
      latest.current({ action: action as RecordChange['action'], record });
      mark(record.id);
    };
    /** Some update was told without the filter only, which may have been the last one or not. */
    const settle = async (record: RecordModel) => {
      const { updates, fitting } = heard.get(record.id)!;
      heard.delete(record.id);
      if (fitting >= updates) return;
      const asked = { filter: `id = "${record.id}" && (${filter}\n)`, fields: 'id', skipTotal: true };
      const { items } = await service.getList(1, 1, asked);
      if (items.length === 0) latest.current({ action: 'delete', record });
    };
    const leave = ({ action, record }: RecordSubscription<RecordModel>) => {
      if (action !== 'update') return;
      const before = heard.get(record.id);
      clearTimeout(before?.timer);
      const timer = setTimeout(() => {
        timers.delete(timer);
        settle(record).catch(() => undefined);
      }, TOGETHER_MS);
      timers.add(timer);
      hear(record.id, { timer, updates: (before?.updates ?? 0) + 1 });
    };
    const subscribing = Promise.all([
      service.subscribe('*', follow, filter ? { expand, filter } : { expand }),
      ...(filter ? [service.subscribe('*', leave, { fields: 'id' })] : []),
    ]);
    subscribing.catch(toastError);
    return () => {
      for (const timer of timers) clearTimeout(timer);
      const stop = async () => Promise.all((await subscribing).map((unsubscribe) => unsubscribe()));
      stop().catch(() => undefined);
    };
  }, [collection.id, filter, on, expand]);
  return changed;
}
