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
import { toFilter } from '../filters/search-text.js';
import { HeardChanges, withChange, type RecordChange } from './live-pages.js';
import { defaultSort, expandOf, listFields, PAGE_SIZE } from './record-query.js';

/** Milliseconds between two counts of a list that changes. */
const RECOUNT_MS = 2000;

type Pages = InfiniteData<ListResult<RecordModel>, number>;

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

/** Counts anew what cannot be told from the loaded rows, once for all that happens within a moment. */
function useRecount(queryKey: readonly string[]): () => void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(queryKey);
  latest.current = queryKey;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: latest.current });
    }, RECOUNT_MS);
  }, [queries]);
}

/**
 * The records of a collection under a search and an order, page by page, without counting them (UI-17); `within`
 * narrows what is searched.
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

  const heard = useRef(new HeardChanges());
  const [outside, setOutside] = useState(0);
  useEffect(() => {
    heard.current.clear();
    setOutside(0);
  }, [key, list.dataUpdatedAt]);
  const recount = useRecount(totalQuery(collection, filter).queryKey);

  /** Puts a change into the loaded rows. Whether what was made or changed fits the filter is not known here. */
  const apply = useCallback(
    (change: RecordChange, staysInPlace = false) => {
      const isNews = heard.current.isNews(change);
      if (!isNews && change.action !== 'create') return;
      const { data, dataUpdatedAt } = queries.getQueryState<Pages>(key) ?? {};
      if (!data) return;
      const { pages, isOutside, difference } = withChange(data.pages, change, {
        sort: sort || defaultSort(collection),
        // A row stays where it is when the order is that of the rows themselves.
        staysInPlace: staysInPlace || !sort,
        isComplete: !hasMore.current,
      });
      // The rows are still those that were asked for at that time.
      const asked = { updatedAt: dataUpdatedAt };
      if (pages !== data.pages) queries.setQueryData<Pages>(key, { ...data, pages: [...pages] }, asked);
      if (!isNews) return;
      if (isOutside && change.action === 'create') setOutside((count) => count + 1);
      if (difference === undefined) recount();
      else if (difference !== 0) {
        queries.setQueryData(totalQuery(collection, filter).queryKey, (count) =>
          count === undefined ? count : Math.max(0, count + difference),
        );
      }
    },
    [queries, key, collection, filter, sort, recount],
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
