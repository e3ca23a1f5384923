import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query';
import type { ListResult, RecordModel } from 'pocketbase';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { collectionsQuery, useCollections } from '../api/queries.js';
import { positionOf } from './record-order.js';
import { defaultSort, expandOf, listFields, PAGE_SIZE, toFilter } from './record-query.js';

type Pages = InfiniteData<ListResult<RecordModel>, number>;

export interface RecordChange {
  readonly action: 'create' | 'update' | 'delete';
  readonly record: RecordModel;
}

function recordsKey(collection: CollectionModel, filter: string, sort: string): readonly string[] {
  return ['records', collection.id, filter, sort];
}

function recordsQuery(
  collection: CollectionModel,
  collections: readonly CollectionModel[],
  filter: string,
  sort: string,
) {
  return infiniteQueryOptions({
    queryKey: recordsKey(collection, filter, sort),
    initialPageParam: 1,
    // Long enough for the screen that was drawn while they came.
    staleTime: 3000,
    gcTime: 60_000,
    queryFn: ({ pageParam, signal }) =>
      api.collection(collection.id).getList(pageParam, PAGE_SIZE, {
        filter,
        sort: sort || defaultSort(collection),
        expand: expandOf(collection, collections),
        fields: listFields(collection),
        skipTotal: true,
        signal,
      }),
    getNextPageParam: (last, _pages, page) => (last.items.length < PAGE_SIZE ? undefined : page + 1),
  });
}

/** How many records fit a filter. */
export function totalQuery(collection: CollectionModel, filter: string) {
  return queryOptions({
    queryKey: ['records-total', collection.id, filter],
    queryFn: async ({ signal }) =>
      (await api.collection(collection.id).getList(1, 1, { filter, fields: 'id', signal })).totalItems,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

/**
 * Asks for the records that a screen is going to show while it is still being drawn (OPS-203). Does not throw: the
 * screen asks again, and shows why it fails.
 */
export async function prefetchRecords(queries: QueryClient, name: string, search: string, sort: string): Promise<void> {
  if (!api.authStore.isValid) return;
  const collections = await queries.ensureQueryData(collectionsQuery).catch(() => []);
  const collection = collections.find((each) => each.name === name || each.id === name);
  if (!collection) return;
  await queries.prefetchInfiniteQuery(recordsQuery(collection, collections, toFilter(search, collection), sort));
}

/**
 * The records of a collection under a search and an order, page by page, without counting them (UI-17); `within` narrows what is
 * searched.
 */
export function useRecords(collection: CollectionModel, search: string, sort: string, within = '') {
  const { data: collections = [] } = useCollections();
  const queries = useQueryClient();
  const filter = [within, toFilter(search, collection)]
    .filter(Boolean)
    .map((each) => (within ? `(${each})` : each))
    .join(' && ');
  const key = useMemo(() => recordsKey(collection, filter, sort), [collection, filter, sort]);
  const list = useInfiniteQuery({
    ...recordsQuery(collection, collections, filter, sort),
    // Under a new order the old rows stay until the new ones are there.
    placeholderData: keepPreviousData,
  });
  const hasMore = useRef(false);
  hasMore.current = list.hasNextPage;
  const records = useMemo(() => {
    const seen = new Map<string, RecordModel>();
    for (const page of list.data?.pages ?? []) {
      for (const record of page.items) if (!seen.has(record.id)) seen.set(record.id, record);
    }
    return [...seen.values()];
  }, [list.data]);

  // One's own change is heard of a second time where the list is live: it is counted once.
  const counted = useRef(new Map<string, RecordChange['action']>());
  const [outside, setOutside] = useState(0);
  useEffect(() => {
    counted.current.clear();
    setOutside(0);
  }, [key, list.dataUpdatedAt]);

  /**
   * Puts a change into the loaded rows, by their order or where the record was. Whether it fits the filter is not known
   * here.
   */
  const apply = useCallback(
    ({ action, record }: RecordChange, staysInPlace = false) => {
      const isLast = !hasMore.current;
      let isOutside = false;
      queries.setQueryData<Pages>(key, (data) => {
        if (!data?.pages.length) return data;
        const known = data.pages.flatMap((page) => page.items).find((each) => each.id === record.id);
        if (action === 'delete' ? !known : action === 'update' && !known && counted.current.has(record.id)) return data;
        const pages = data.pages.map((page) => ({
          ...page,
          items: page.items.filter((each) => each.id !== record.id),
        }));
        if (action === 'delete') return { ...data, pages };
        const changed = known ? { ...known, ...record, expand: { ...known.expand, ...record.expand } } : record;
        const rest = pages.flatMap((page) => page.items);
        let at = positionOf(changed, rest, sort || defaultSort(collection));
        // A row stays where it is when the order is that of the rows themselves.
        if (known && (!sort || staysInPlace)) at = data.pages.flatMap((page) => page.items).indexOf(known);
        isOutside = !known && at === rest.length && rest.length > 0 && !isLast;
        if (isOutside) return data;
        const index = pages.findIndex((page) => (at <= page.items.length ? true : ((at -= page.items.length), false)));
        const page = pages[index]!;
        pages[index] = { ...page, items: page.items.toSpliced(at, 0, changed) };
        return { ...data, pages };
      });
      if (action === 'update' || counted.current.get(record.id) === action) return;
      counted.current.set(record.id, action);
      if (isOutside) setOutside((count) => count + 1);
      queries.setQueryData(totalQuery(collection, filter).queryKey, (count) =>
        count === undefined ? count : Math.max(0, count + (action === 'create' ? 1 : -1)),
      );
    },
    [queries, key, collection, filter, sort],
  );

  const refresh = useCallback(async () => {
    // Loaded pages beyond the first would be asked for again one after the other.
    queries.setQueryData<Pages>(key, (data) =>
      data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
    );
    const total = queries.refetchQueries(totalQuery(collection, filter));
    const [answer] = await Promise.all([list.refetch(), total]);
    return answer;
  }, [queries, key, list, collection, filter]);

  return { list, records, apply, refresh, filter, outside };
}
