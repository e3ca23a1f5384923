import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from './api.js';

/** A file token of the superuser, renewed well before it ends (its shortest usual life is three minutes). */
export const fileTokenQuery = queryOptions({
  queryKey: ['file-token'],
  queryFn: ({ signal }) => api.files.getToken({ signal }),
  staleTime: 60_000,
  refetchInterval: 90_000,
});

/** The address of a stored file, with the token that opens protected and rule-guarded ones. */
export function useFileUrl(): (record: { id: string; collectionId: string }, name: string, thumb?: string) => string {
  const { data: token } = useQuery(fileTokenQuery);
  return (record, name, thumb) =>
    token ? api.files.getURL(record as never, name, { token, ...(thumb ? { thumb } : {}) }) : '';
}

/** The token itself, '' until it is there. */
export function useFileToken(): string {
  return useQuery(fileTokenQuery).data ?? '';
}
