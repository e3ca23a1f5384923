import { queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api } from './api.js';
import type { CollectionModel } from './collection-model.js';
import type { ExtensionInfo, Health, ProviderInfo, SettingsModel, StoredSecrets } from './models.js';

/** As people count: part_2 before part_10. */
const BY_NAME = new Intl.Collator('en', { numeric: true });

export const collectionsQuery = queryOptions({
  queryKey: ['collections'],
  queryFn: async ({ signal }) => {
    const all = await api.collections.getFullList<CollectionModel>({ batch: 500, sort: 'name', signal });
    return (all as unknown as CollectionModel[]).sort((a, b) => BY_NAME.compare(a.name, b.name));
  },
  staleTime: 60_000,
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => api.settings.getAll({ signal }) as unknown as Promise<SettingsModel>,
  staleTime: 60_000,
});

/** Which secrets of the settings there are; their values are never told. */
export const storedSecretsQuery = queryOptions({
  queryKey: ['settings', 'secrets'],
  queryFn: ({ signal }) => api.send<StoredSecrets>('/api/settings/secrets', { signal }),
});

export const scaffoldsQuery = queryOptions({
  queryKey: ['scaffolds'],
  queryFn: ({ signal }) =>
    api.collections.getScaffolds({ signal }) as unknown as Promise<Record<CollectionModel['type'], CollectionModel>>,
  // Index names in a scaffold are drawn anew by the server each time.
  staleTime: 0,
});

export const providersQuery = queryOptions({
  queryKey: ['oauth2-providers'],
  queryFn: ({ signal }) => api.collections.getAllOAuth2Providers({ signal }) as unknown as Promise<ProviderInfo[]>,
  staleTime: Infinity,
});

/** What modules of a team add to this page; another start of the server is another page. */
export const extensionsQuery = queryOptions({
  queryKey: ['extensions'],
  queryFn: ({ signal }) => api.send<ExtensionInfo[]>('/api/admin/extensions', { signal }),
  staleTime: Infinity,
});

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => api.health.check({ signal }) as unknown as Promise<Health>,
});

/** All collections, sorted by name. */
export function useCollections(): UseQueryResult<CollectionModel[]> {
  return useQuery(collectionsQuery);
}

/** A collection by id or name, or undefined while the list loads or when there is none. */
export function useCollection(idOrName: string | undefined): CollectionModel | undefined {
  const { data } = useCollections();
  return data?.find((each) => each.id === idOrName || each.name === idOrName);
}

export function useSettings(): UseQueryResult<SettingsModel> {
  return useQuery(settingsQuery);
}

/** Whether a secret is stored; false until that is known. */
export function useIsStored(secret: keyof StoredSecrets): boolean {
  return useQuery(storedSecretsQuery).data?.[secret] ?? false;
}

const NO_EXTENSIONS: readonly ExtensionInfo[] = [];

/** What modules add to this page; nothing until it is known. */
export function useExtensions(): readonly ExtensionInfo[] {
  return useQuery(extensionsQuery).data ?? NO_EXTENSIONS;
}

/** Whether the controls that change the structure are hidden (UI-71). */
export function useHideControls(): boolean {
  return useSettings().data?.meta?.hideControls ?? false;
}
