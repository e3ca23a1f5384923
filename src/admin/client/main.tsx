import './design/mantine-styles.js';
import '@fontsource-variable/inter/wght.css';
import '@fontsource/jetbrains-mono/400.css';
import './design/tokens.css';
import './design/mantine.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ClientResponseError } from 'pocketbase';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { api } from './api/api.js';
import { collectionsQuery, settingsQuery } from './api/queries.js';
import { TabSync } from './api/tab-sync.js';
import { TabSyncContext } from './api/use-changed.js';
import { ThemeProvider } from './app/theme-provider.js';
import { ConfirmProvider } from './design/confirm.js';
import { LayersProvider } from './design/layers.js';
import { Tips } from './design/tips.js';
import { router } from './router.js';

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal does not become an answer by asking again.
      retry: (failures, error) => !(error instanceof ClientResponseError && error.status > 0) && failures < 2,
      refetchOnWindowFocus: false,
    },
  },
});

// A session that the server no longer accepts ends here; the place in the address stays for after the sign-in (UI-2).
api.afterSend = (response, data) => {
  if (response.status === 401 && api.authStore.token) {
    api.authStore.clear();
    queries.clear();
  }
  return data;
};

// Every screen behind the sign-in needs these: they are on their way while the first one is drawn.
if (api.authStore.isValid) {
  void queries.prefetchQuery(settingsQuery);
  void queries.prefetchQuery(collectionsQuery);
}

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <TabSyncContext.Provider value={new TabSync(queries)}>
        <ThemeProvider>
          <LayersProvider>
            <ConfirmProvider>
              <RouterProvider router={router} context={{ queries }} />
            </ConfirmProvider>
            <Tips />
          </LayersProvider>
        </ThemeProvider>
      </TabSyncContext.Provider>
    </QueryClientProvider>
  </StrictMode>,
);
