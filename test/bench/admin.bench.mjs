import { setTimeout as sleep } from 'node:timers/promises';
import { Browser } from './browser.mjs';
import { Measurement } from './measurement.mjs';

const THROTTLING = 4;
const ROUNDS = 5;

/** Milliseconds after which a page that was opened has nothing left to do; an empty one is ready sooner. */
const QUIET = 2_000;
const READY = 500;

/** A list of 40 records in Chromium on a processor slowed down four times: until a row can be opened (OPS-203). */
export async function run(bench) {
  // A browser is several processes; on one core they would wait for the one that is slowed down, which it does by waiting.
  bench.useAllCores();
  const server = await bench.roost();
  const { origin, load } = server;
  const password = 'bench-password';
  const account = { email: 'bench@example.com', password, passwordConfirm: password, token: await server.setupToken() };
  const session = await load.call('POST', '/api/setup', { body: account });
  const create = (path, body) => load.call('POST', path, { token: session.token, body });
  const fields = ['text', 'number', 'bool', 'email', 'url', 'date', 'editor', 'json'].map((type) => ({
    name: `a_${type}`,
    type,
  }));
  await create('/api/collections', { name: 'posts', type: 'base', fields });
  for (let index = 0; index < 80; index += 1) {
    const record = { a_text: `Post ${index}`, a_number: index, a_editor: `<p>Text ${index}</p>`, a_json: { index } };
    await create('/api/collections/posts/records', record);
  }
  const browser = await Browser.launch(bench.tempDir());
  bench.defer(() => browser.close());
  const signIn = `localStorage.setItem('roost_admin_auth', ${JSON.stringify(JSON.stringify(session))})`;
  const init = `${signIn};(${watch})()`;
  const known = await browser.newContext();
  await interactive(browser, { context: known, init, origin });
  for (const visit of ['first visit', 'later visit', 'other collection and back']) {
    const each = async (rate) => {
      const context = visit === 'first visit' ? await browser.newContext() : known;
      return interactive(browser, { context, init, origin, rate, away: visit === 'other collection and back' });
    };
    const measurement = new Measurement();
    const work = [];
    for (let round = 0; round < ROUNDS; round += 1) work.push((await each(1)).work);
    for (let round = 0; round < ROUNDS; round += 1) measurement.add((await each(THROTTLING)).took);
    bench.report.add(`40 records, ${THROTTLING}x slower processor, ${visit}`, measurement, {
      // Does not depend on what else the machine does.
      figures: { [`processor ms x ${THROTTLING}`]: Math.min(...work) * THROTTLING },
    });
  }
}

/**
 * Milliseconds until a row is there and the page answers, by its own clock, and those its main thread worked meanwhile.
 * `away`: from the list of another collection.
 */
async function interactive(browser, { context, init, origin, rate = 1, away = false }) {
  const page = await browser.newPage(context, init);
  await page.send('Performance.enable', { timeDomain: 'threadTicks' });
  if (away) await page.open(`${origin}/_/#/collections/users`);
  await sleep(away ? QUIET : READY);
  const worked = async () => {
    const { metrics } = await page.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  };
  await page.send('Emulation.setCPUThrottlingRate', { rate });
  const before = away ? await worked() : 0;
  if (away) await page.evaluate(`(${goTo})('#/collections/posts')`);
  else await page.open(`${origin}/_/#/collections/posts`);
  const took = await page.evaluate('globalThis.usable');
  const work = (await worked()) - before;
  await page.close();
  return { took, work };
}

/** In the page: keeps the moment at which a row has been drawn and the page has time for a click. */
function watch() {
  globalThis.usableFrom = (start) =>
    new Promise((resolve) => {
      const look = () => {
        if (!document.querySelector('tr[data-id]')) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, subtree: true });
    });
  globalThis.usable = globalThis.usableFrom(0);
}

function goTo(place) {
  globalThis.usable = globalThis.usableFrom(performance.now());
  location.hash = place;
}
