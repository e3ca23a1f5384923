const COLUMNS = ['req/s', 'p50', 'p95', 'p99', 'errors', 'CPU ms', 'MiB', 'ratio'];

/** The table of workloads: printed as it grows, and kept for `--json`. */
export class WorkloadReport {
  #group;

  /** `server` is the process that is measured, when it is our own. */
  constructor(bench, server) {
    this.bench = bench;
    this.server = server;
  }

  /**
   * Runs `measure`, which gives a Measurement, and adds a line with it and with what it cost the server, unless
   * something else went on at the same time. The ratio is to the rate of a reference it measured besides, or to `baseline`.
   */
  async add(group, what, measure, { posts, baseline, to, isAlone = true } = {}) {
    const cpu = this.server?.cpuTime();
    const { measurement, reference } = await measure();
    const row = {
      group,
      what,
      ...(posts !== undefined && { posts }),
      connections: measurement.connections,
      requests: measurement.requests,
      'req/s': measurement.rate,
      ...measurement.quantiles(),
      errors: measurement.errors,
    };
    if (this.server && isAlone) {
      row['CPU ms'] = ((this.server.cpuTime() - cpu) / Math.max(1, measurement.requests)) * 1000;
    }
    if (this.server) row.MiB = this.server.memory();
    const rate = reference?.rate ?? baseline;
    if (rate) Object.assign(row, { ratio: measurement.rate / rate, to });
    this.bench.rows.push(row);
    this.#print(row);
    return measurement;
  }

  #print(row) {
    const title = row.posts === undefined ? row.group : `${row.group}, ${row.posts.toLocaleString('en')} posts`;
    if (title !== this.#group) {
      const head = COLUMNS.map((name) => name.padStart(8)).join('');
      console.log(`\n${title.padEnd(56)}${head}`);
      this.#group = title;
    }
    const cells = COLUMNS.map((name) => shown(name, row[name]).padStart(8)).join('');
    console.log(`${row.what.padEnd(56)}${cells}${row.to ? ` to ${row.to}` : ''}`);
  }
}

function shown(name, value) {
  if (value === undefined) return '-';
  if (name === 'errors') return String(value);
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}
