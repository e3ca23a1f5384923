import './design/mantine-styles.js';
import '@fontsource-variable/inter/wght.css';
import '@fontsource/jetbrains-mono/400.css';
import './design/tokens.css';
import './design/mantine.css';
import { api } from './api/api.js';
import { collectionsQuery, extensionsQuery, settingsQuery } from './api/queries.js';
import { queries } from './api/query-client.js';
import { renewSession } from './api/renew-session.js';
import { watchSession } from './api/watch-session.js';
import { lastCollection } from './collections/last-collection.js';
import { prefetchRecords } from './records/use-records.js';

const PATIENCE = 200;

/** Asks for the list that the address stands for, before there is a router to read it. */
async function prefetchList(): Promise<void> {
  const [place = '', search] = location.hash.slice(1).split('?');
  const { filter = '', sort = '' } = Object.fromEntries(new URLSearchParams(search));
  const [, name] = /^\/collections\/([^/]+)$/.exec(place) ?? [];
  if (name) await prefetchRecords(queries, decodeURIComponent(name), filter, sort);
  else if (['', '/', '/collections'].includes(place)) await prefetchRecords(queries, lastCollection(), '', '');
}

watchSession();

/** What a screen behind the sign-in needs is on its way while the code that draws it is still being read (OPS-203). */
async function ask(): Promise<void> {
  if (!api.authStore.isValid) return;
  await Promise.all([
    queries.prefetchQuery(collectionsQuery),
    prefetchList(),
    queries.prefetchQuery(settingsQuery),
    queries.prefetchQuery(extensionsQuery),
    renewSession(),
  ]);
}

/** What is drawn before its font is there is drawn in another one first, which the browser has to look for. */
async function loadFonts(): Promise<void> {
  await Promise.allSettled(['13px "Inter Variable"', '13px "JetBrains Mono"'].map((font) => document.fonts.load(font)));
}

const answers = Promise.all([ask(), loadFonts()]);
const main = import('./main.js');

// To draw once with the answers is less work than to draw for each of them, as long as they come quickly.
void Promise.race([answers, new Promise((resolve) => setTimeout(resolve, PATIENCE))]).then(async () =>
  (await main).draw(),
);
