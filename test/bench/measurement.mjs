/** What has been done again and again: how long each time took, in ms, and what all of it cost a server. */
export class Measurement {
  latencies = [];
  answered = 0;
  errors = 0;
  /** How many were under way at the same time. */
  connections = 1;
  /** How long all of it took, in ms. */
  duration;
  /** Seconds of processor time, where it is known what they were spent on. */
  cpuTime;
  /** MiB afterwards. */
  memory;
  #sorted;

  /** Gives `work` a measurement to add to, and watches what goes on at the server meanwhile, if there is one. */
  static async of(server, work) {
    const measurement = new Measurement();
    const [cpuTime, started] = [server?.cpuTime(), performance.now()];
    await work(measurement);
    measurement.duration = performance.now() - started;
    if (server) measurement.cpuTime = server.cpuTime() - cpuTime;
    measurement.memory = server?.memory();
    return measurement;
  }

  /** The one of several whose rate is in the middle, with the errors of all. */
  static median(measurements) {
    const errors = measurements.reduce((sum, each) => sum + each.errors, 0);
    const median = measurements.toSorted((a, b) => a.rate - b.rate)[measurements.length >> 1];
    return Object.assign(median, { errors });
  }

  add(latency, isFine = true) {
    this.latencies.push(latency);
    if (isFine) this.answered++;
    else this.errors++;
  }

  /** Does something and adds how long that took. */
  async time(work) {
    const started = performance.now();
    const result = await work();
    this.add(performance.now() - started);
    return result;
  }

  get requests() {
    return this.latencies.length;
  }

  /** How many per second went well. */
  get rate() {
    return (this.answered / this.duration) * 1000;
  }

  /** Milliseconds of processor time for one. */
  get cost() {
    return (this.cpuTime / this.requests) * 1000;
  }

  /** The latency that this share of all stays below. */
  quantile(share) {
    if (this.#sorted?.length !== this.requests) this.#sorted = this.latencies.toSorted((a, b) => a - b);
    return this.#sorted[Math.min(this.requests - 1, Math.floor(this.requests * share))];
  }
}
