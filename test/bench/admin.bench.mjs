import { chromium } from 'playwright-core';
import { Measurement } from './measurement.mjs';

const THROTTLING = 4;
const ROUNDS = 3;

/** A list of 40 records in Chromium on a processor slowed down four times: until a row can be opened (OPS-203). */
export async function run(bench) {
  // A browser is several processes; on one core they would wait for the one that is slowed down, which it does by waiting.
  bench.useAllCores();
  const { origin, load } = await bench.roost();
  const password = 'bench-password';
  const account = { email: 'bench@example.com', password, passwordConfirm: password };
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
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  bench.defer(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addInitScript((value) => localStorage.setItem('roost_admin_auth', value), JSON.stringify(session));
  await context.addInitScript(watch);
  for (const visit of ['first visit', 'later visit', 'other collection and back']) {
    const measurement = new Measurement();
    const work = [];
    for (let round = 0; round < ROUNDS; round += 1) work.push((await interactive(context, origin, visit, 1)).work);
    for (let round = 0; round < ROUNDS; round += 1) {
      measurement.add((await interactive(context, origin, visit, THROTTLING)).took);
    }
    bench.report.add(`40 records, ${THROTTLING}x slower processor, ${visit}`, measurement, {
      // Does not depend on what else the machine does.
      figures: { [`processor ms x ${THROTTLING}`]: Math.min(...work) * THROTTLING },
    });
  }
}

/** Milliseconds until a row is there and the page answers, by its own clock, and those its main thread worked meanwhile. */
async function interactive(context, origin, visit, rate) {
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: visit === 'first visit' });
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const away = visit === 'other collection and back';
  if (away) {
    await page.goto(`${origin}/_/#/collections/users`);
    await page.getByRole('heading', { name: 'users' }).waitFor();
    await page.waitForTimeout(500);
  }
  const worked = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  };
  await cdp.send('Emulation.setCPUThrottlingRate', { rate });
  const before = await worked();
  if (away) await page.evaluate(goTo, '#/collections/posts');
  else await page.goto(`${origin}/_/#/collections/posts`, { waitUntil: 'commit' });
  const took = await page.evaluate(() => globalThis.usable);
  const work = (await worked()) - (away ? before : 0);
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
