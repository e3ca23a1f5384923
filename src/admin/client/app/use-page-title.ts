import { useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { settingsQuery } from '../api/queries.js';

/** The title of the window: the place and the name of the application. */
export function usePageTitle(place: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const apply = () => {
      const name = queries.getQueryData(settingsQuery.queryKey)?.meta?.appName ?? 'Roost';
      document.title = `${place} – ${name}`;
    };
    apply();
    return queries.getQueryCache().subscribe((event) => {
      if (event.query.queryKey[0] === 'settings') apply();
    });
  }, [place, queries]);
}
