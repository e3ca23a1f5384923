import { QueryClient } from '@tanstack/react-query';
import { ClientResponseError } from 'pocketbase';

/** What is known of the server's answers, for all screens. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal does not become an answer by asking again.
      retry: (failures, error) => !(error instanceof ClientResponseError && error.status > 0) && failures < 2,
      refetchOnWindowFocus: false,
      // The server may be on this very computer or in a network without internet, so it never waits for one.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always' },
  },
});
