import {
  createHashHistory,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { QueryClient } from '@tanstack/react-query';
import type { CollectionSearch, LogsSearch } from './app/search.js';
import { NotFoundPage } from './app/not-found-page.js';
import { CrashPage } from './app/crash-page.js';
import { SignedIn } from './app/signed-in.js';
import { CollectionsPage } from './collections/collections-page.js';
import { prefetchRecords } from './records/use-records.js';

const root = createRootRouteWithContext<{ queries: QueryClient }>()({
  component: Outlet,
  errorComponent: CrashPage,
});

const publicPages = [
  createRoute({
    getParentRoute: () => root,
    path: '/login',
    component: lazyRouteComponent(() => import('./login/login-route.js'), 'LoginRoute'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/request-password-reset',
    component: lazyRouteComponent(() => import('./login/request-password-reset-page.js'), 'RequestPasswordResetPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/pbinstall/$token',
    component: lazyRouteComponent(() => import('./login/setup-route.js'), 'SetupRoute'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/auth/confirm-verification/$token',
    component: lazyRouteComponent(() => import('./login/confirm-verification-page.js'), 'ConfirmVerificationPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/auth/confirm-password-reset/$token',
    component: lazyRouteComponent(() => import('./login/confirm-password-reset-page.js'), 'ConfirmPasswordResetPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/auth/confirm-email-change/$token',
    component: lazyRouteComponent(() => import('./login/confirm-email-change-page.js'), 'ConfirmEmailChangePage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/auth/oauth2-redirect-success',
    component: lazyRouteComponent(() => import('./login/oauth2-result-page.js'), 'OAuth2SuccessPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/auth/$',
    component: lazyRouteComponent(() => import('./login/broken-link-page.js'), 'BrokenLinkPage'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: '/auth/oauth2-redirect-failure',
    component: lazyRouteComponent(() => import('./login/oauth2-result-page.js'), 'OAuth2FailurePage'),
  }),
];

const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedIn });

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
}

const readCollectionSearch = (search: Record<string, unknown>): CollectionSearch => ({
  filter: text(search.filter),
  sort: text(search.sort),
  view: text(search.view),
  record: text(search.record),
});

const routes = root.addChildren([
  ...publicPages,
  signedIn.addChildren([
    createRoute({
      getParentRoute: () => signedIn,
      path: '/',
      beforeLoad: () => {
        throw redirect({ to: '/collections' as never });
      },
    }),
    createRoute({ getParentRoute: () => signedIn, path: '/collections', component: CollectionsPage }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/collections/$name',
      component: CollectionsPage,
      validateSearch: readCollectionSearch,
      loaderDeps: ({ search: { filter = '', sort = '' } }) => ({ filter, sort }),
      loader: ({ context, params, deps }) => {
        void prefetchRecords(context.queries, params.name, deps.filter, deps.sort);
      },
      // Once for each list, not when a record of it is opened or closed.
      shouldReload: false,
      gcTime: 0,
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/logs',
      component: lazyRouteComponent(() => import('./logs/logs-page.js'), 'LogsPage'),
      validateSearch: (search: Record<string, unknown>): LogsSearch => ({
        filter: text(search.filter),
        log: text(search.log),
      }),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/pages/$page',
      component: lazyRouteComponent(() => import('./extensions/extension-page.js'), 'ExtensionPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/docs',
      component: lazyRouteComponent(() => import('./docs/docs-page.js'), 'DocsPage'),
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/settings',
      beforeLoad: () => {
        throw redirect({ to: '/settings/application' as never });
      },
    }),
    createRoute({
      getParentRoute: () => signedIn,
      path: '/settings/$section',
      component: lazyRouteComponent(() => import('./settings/settings-page.js'), 'SettingsPage'),
    }),
    createRoute({ getParentRoute: () => signedIn, path: '/$', component: NotFoundPage }),
  ]),
]);

/** Plain text in the address, so that a filter can be read and shared. */
function writeSearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter((entry) => entry[1] !== undefined && entry[1] !== '');
  return entries.length
    ? `?${new URLSearchParams(entries.map(([key, value]) => [key, String(value)])).toString()}`
    : '';
}

export const router = createRouter({
  routeTree: routes,
  history: createHashHistory(),
  // Given by the provider, in `main.tsx`.
  context: { queries: undefined as unknown as QueryClient },
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: writeSearch,
  defaultPendingMs: 200,
  // Within the frame, which stays.
  defaultErrorComponent: CrashPage,
});
