const COLUMNS = ['req/s', 'p50', 'p95', 'p99', 'errors', 'CPU ms', 'MiB', 'ratio'];
const WIDTH = 64;

/** The table of a suite: printed as it grows, and kept for `--json`. */
export class Report {
  rows = [];
  #title;

  /**
   * Adds a measurement. `ratio` is to what `to` names; where that was measured beside, it is the `baseline` and has a line
   * of its own. `figures` are what there is to say besides. `group` and `posts` head the lines they are common to.
   */
  add(what, measurement, { group, posts, ratio, to, baseline, figures } = {}) {
    const row = {
      ...(group && { group }),
      what,
      ...(posts !== undefined && { posts }),
      ...cells(measurement),
      ...(ratio !== undefined && { ratio, to }),
      ...(baseline && { baseline: cells(baseline) }),
      ...(figures && { figures }),
    };
    this.rows.push(row);
    this.#head([group, posts && `${posts.toLocaleString('en')} posts`].filter(Boolean).join(', '));
    const besides = Object.entries(figures ?? {}).map(([name, value]) => `${name} ${shown(value)}`);
    if (to && !baseline) besides.unshift(`to ${to}`);
    print(what, row, besides);
    if (baseline) print(`  to ${to}`, row.baseline);
  }

  /** Adds a line for what a server does not do. */
  addMissing(what, reason, { group, posts } = {}) {
    this.rows.push({ ...(group && { group }), what, ...(posts !== undefined && { posts }), missing: reason });
    this.#head(group);
    print(what, {}, [`not available: ${reason}`]);
  }

  #head(title) {
    if (title === this.#title) return;
    console.log(`\n${title.padEnd(WIDTH)}${COLUMNS.map((name) => name.padStart(8)).join('')}`);
    this.#title = title;
  }
}

/** What is known of it. */
function cells(measurement) {
  const requests = measurement.requests > 0 && {
    connections: measurement.connections,
    requests: measurement.requests,
    'req/s': measurement.rate,
    p50: measurement.quantile(0.5),
    p95: measurement.quantile(0.95),
    p99: measurement.quantile(0.99),
    errors: measurement.errors,
    'CPU ms': measurement.cost,
  };
  const all = { ...requests, MiB: measurement.memory };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => Number.isFinite(value)));
}

function print(what, row, besides = []) {
  const values = COLUMNS.map((name) => (row[name] === undefined ? '-' : shown(row[name])).padStart(8)).join('');
  console.log(`${what.padEnd(WIDTH)}${values}  ${besides.join('  ')}`.trimEnd());
}

function shown(value) {
  if (typeof value !== 'number' || value === 0) return String(value);
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
