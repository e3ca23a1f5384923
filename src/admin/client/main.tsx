import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/query-client.js';
import { TabSync } from './api/tab-sync.js';
import { TabSyncContext } from './api/use-changed.js';
import { ThemeProvider } from './app/theme-provider.js';
import { ConfirmProvider } from './design/confirm.js';
import { LayersProvider } from './design/layers.js';
import { returnFocusAfterWaiting } from './design/lost-focus.js';
import { Tips } from './design/tips.js';
import { router } from './router.js';

/** Draws the page, once. */
export function draw(): void {
  returnFocusAfterWaiting();
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
}
