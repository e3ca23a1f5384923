import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { api } from '../api/api.js';
import type { HourCount, LogEntry } from '../api/models.js';

const PAGE = 50;

/** A part of time, in milliseconds. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

function stamp(time: number): string {
  return new Date(time).toISOString().replace('T', ' ');
}

function searchFilter(text: string): string {
  const search = text.trim();
  if (!search) return '';
  if (/[=~<>]/.test(search.replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, ''))) return `(${search})`;
  const word = `"${search.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  return `(message ~ ${word} || data.url ~ ${word} || data.error ~ ${word} || data.userIP ~ ${word} || id = ${word})`;
}

/**
 * The entries of the log, newest first. Older ones are asked for by the time of the last one shown, not by page:
 * new entries that come meanwhile shift nothing.
 */
export function useLogs(search: string, superusers: boolean, range: TimeRange | null) {
  const common = [searchFilter(search), superusers ? '' : 'data.auth != "_superusers"'].filter(Boolean);
  const filter = [
    ...common,
    ...(range ? [`created >= "${stamp(range.from)}"`, `created <= "${stamp(range.to)}"`] : []),
  ].join(' && ');
  const queries = useQueryClient();
  const list = useInfiniteQuery({
    queryKey: ['logs', filter],
    initialPageParam: null as LogEntry | null,
    staleTime: 0,
    queryFn: async ({ pageParam, signal }) => {
      const older = pageParam
        ? `(created < "${pageParam.created}" || (created = "${pageParam.created}" && id < "${pageParam.id}"))`
        : '';
      const answer = await api.logs.getList(1, PAGE, {
        filter: [filter, older].filter(Boolean).join(' && '),
        sort: '-created,-id',
        skipTotal: true,
        signal,
      });
      return answer.items as unknown as LogEntry[];
    },
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)),
  });
  const stats = useQuery({
    queryKey: ['logs-stats', ...common],
    queryFn: ({ signal }) =>
      api.logs.getStats({ filter: common.join(' && '), signal }) as unknown as Promise<HourCount[]>,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    retry: false,
  });
  const total = useQuery({
    queryKey: ['logs-total', filter],
    queryFn: async ({ signal }) => (await api.logs.getList(1, 1, { filter, fields: 'id', signal })).totalItems,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const entries = useMemo(() => list.data?.pages.flat() ?? [], [list.data]);
  const refresh = useCallback(async () => {
    // Loaded pages beyond the first would be asked for again one after the other.
    queries.setQueryData<InfiniteData<LogEntry[]>>(['logs', filter], (data) =>
      data ? { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) } : data,
    );
    const [answer] = await Promise.all([list.refetch(), stats.refetch(), total.refetch()]);
    return answer;
  }, [queries, filter, list, stats, total]);
  return { list, entries, stats, total: total.data, refresh };
}
