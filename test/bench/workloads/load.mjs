import { Pool } from 'undici';

/** A request that takes longer counts as failed. */
const TIMEOUT = 30_000;

/** Above this time of a single request, in ms, a server has enough to do with few of them. */
const SLOW = 250;
const FEW = 2;

/** Requests to one server over connections that are kept, and what they took. */
export class Load {
  constructor(origin, { seconds, connections }) {
    this.seconds = seconds;
    this.connections = connections;
    this.pool = new Pool(origin, { connections, headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT });
  }

  /** One request; its parsed answer. Throws when it fails. */
  async call(method, path, { body, token } = {}) {
    const response = await this.pool.request(toRequest({ method, path, body, token }));
    const text = await response.body.text();
    if (response.statusCode >= 400) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /**
   * Sends what `next(index)` gives until the time is over or it gives nothing more; everything that was begun is waited
   * for. A first request, which does not count, warms up and tells whether many at a time make sense.
   */
  async run(next, { seconds = this.seconds, connections = this.connections, warmUp = true } = {}) {
    const measurement = new Measurement();
    if (warmUp && (await this.#timeOf(next(-1))) > SLOW) connections = Math.min(FEW, connections);
    const started = performance.now();
    const end = started + seconds * 1000;
    let index = 0;
    const worker = async () => {
      while (performance.now() < end) {
        const request = next(index++);
        if (!request) return;
        const before = performance.now();
        const isFine = await this.#isAnswered(request);
        measurement.add(performance.now() - before, isFine);
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    measurement.took(performance.now() - started, connections);
    return measurement;
  }

  async close() {
    await this.pool.close();
  }

  async #timeOf(request) {
    const before = performance.now();
    await this.#isAnswered(request);
    return performance.now() - before;
  }

  async #isAnswered(request) {
    try {
      const { statusCode, body } = await this.pool.request(toRequest(request));
      await body.arrayBuffer();
      return statusCode < 400;
    } catch {
      return false;
    }
  }
}

/** The latencies of some requests in ms, and how long they took together. */
export class Measurement {
  #latencies = [];
  #milliseconds = 0;
  errors = 0;
  connections = 0;

  add(latency, isFine) {
    this.#latencies.push(latency);
    if (!isFine) this.errors++;
  }

  took(milliseconds, connections) {
    this.#milliseconds += milliseconds;
    this.connections = connections;
  }

  /** Takes another measurement of the same thing in. */
  join(other) {
    for (const latency of other.#latencies) this.#latencies.push(latency);
    this.errors += other.errors;
    this.took(other.#milliseconds, other.connections);
  }

  get requests() {
    return this.#latencies.length;
  }

  /** Requests per second that were answered well. */
  get rate() {
    return this.#milliseconds === 0 ? 0 : ((this.requests - this.errors) / this.#milliseconds) * 1000;
  }

  quantiles() {
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  }
}

function toRequest({ method = 'GET', path, token, body }) {
  const headers = { ...(token && { authorization: token }), ...(body && { 'content-type': 'application/json' }) };
  return { method, path, headers, ...(body && { body: JSON.stringify(body) }) };
}
