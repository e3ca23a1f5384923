/**
 * Roost, with an address at which it is told to change its settings from one request to the next, back and forth, and to
 * say what that made of the time the requests take. A few per cent are lost in what a busy machine makes of turns that are
 * seconds apart; requests that follow each other find the same machine.
 *
 * `GET /switch?between=[{…},{…}]` with two parts of the settings begins, `GET /switch` ends it. It needs a load that keeps
 * the server busy: a request takes the time from its beginning to that of the next one.
 */
import { runRoost, SettingsService } from '../../dist/index.js';

/** So many requests in a row have the same settings: of a processor that predicts well, switching is no part. */
const IN_A_ROW = 8;

/** The requests of which the means are compared. */
const BLOCK = 4_000;

/** A request that takes longer than so many usual ones was not alone: the garbage collector, another process. */
const OUTLIER = 3;

await runRoost({
  configureApp(app) {
    const settings = app.get(SettingsService, { strict: false });
    const stored = () => SettingsService.prototype.get.call(settings);
    const fastify = app.getHttpAdapter().getInstance();
    let end = () => [];

    const begin = (parts) => {
      const variants = parts.map((part) => laidOver(stored(), part));
      const blocks = [];
      let block = [[], []];
      let [variant, left] = [0, 0];
      let begun;
      const onRequest = () => {
        const now = performance.now();
        if (begun !== undefined) block[variant].push((now - begun) * 1000);
        if (block[0].length + block[1].length === BLOCK) {
          blocks.push(block.map((times) => times.toSorted((a, b) => a - b)));
          block = [[], []];
        }
        if (left === 0) {
          variant = Math.random() < 0.5 ? 0 : 1;
          left = IN_A_ROW;
          settings.get = () => variants[variant];
        }
        left--;
        begun = performance.now();
      };
      app.getHttpServer().prependListener('request', onRequest);
      end = () => {
        app.getHttpServer().off('request', onRequest);
        delete settings.get;
        return blocks.map(means);
      };
    };

    // The answer to the end: of each block the mean microseconds of a request with the first and with the second part.
    fastify.get('/switch', ({ url }) => {
      const between = new URL(url, 'http://localhost').searchParams.get('between');
      if (between === null) return end();
      begin(JSON.parse(between));
      return {};
    });
  },
});

function laidOver(settings, part) {
  const groups = Object.entries(part).map(([name, group]) => [name, { ...settings[name], ...group }]);
  return { ...settings, ...Object.fromEntries(groups) };
}

function means([off, on]) {
  const most = OUTLIER * off[off.length >> 1];
  return [off, on].map((times) => {
    const usual = times.filter((time) => time < most);
    return usual.reduce((sum, time) => sum + time, 0) / usual.length;
  });
}
