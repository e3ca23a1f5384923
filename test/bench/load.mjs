import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import { Measurement } from './measurement.mjs';
import { repeat } from './repetition.mjs';

/** A request that takes longer counts as failed. */
const TIMEOUT = 30_000;

/** How long one may take that is not part of a load, such as a backup. */
const PATIENCE = 600_000;

/** Above this time of a single request, in ms, a server has enough to do with few of them. */
const SLOW = 250;
const FEW = 2;

/**
 * Requests to one address, over connections that are kept. A request is `{ method, path, token, headers, body }`, or a
 * function of a running number that gives one; its body is text or bytes, or what is sent as JSON.
 */
export class Load {
  #pool;

  /** `server` is what is measured, where it is our own. */
  constructor(origin, { seconds, connections, server }) {
    this.origin = origin;
    this.seconds = seconds;
    this.connections = connections;
    this.server = server;
    this.#pool = new Pool(origin, { headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT });
  }

  /** One request; its parsed answer. Throws when it fails. */
  async call(method, path, { body, token } = {}) {
    const request = toRequest({ method, path, body, token });
    const response = await this.#pool.request({ ...request, headersTimeout: PATIENCE });
    const text = await response.body.text();
    if (response.statusCode >= 400) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** Signs in with a password; the token. */
  async signIn(collection, identity, password) {
    const path = `/api/collections/${collection}/auth-with-password`;
    return (await this.call('POST', path, { body: { identity, password } })).token;
  }

  /**
   * Sends one request after the other on each connection until the time is over or a function gives nothing more;
   * everything that was begun is waited for. A first request, which does not count, warms up and tells whether many at a
   * time make sense. What this costs the server is known only where nothing else goes on there (`isAlone`).
   */
  async run(request, options = {}) {
    const { seconds = this.seconds, warmUp = true, isAlone = true } = options;
    let { connections = this.connections } = options;
    const next = typeof request === 'function' ? request : () => request;
    if (warmUp && (await this.#timeOf(next(-1))) > SLOW) connections = Math.min(FEW, connections);
    return this.#measure(isAlone, async (measurement) => {
      measurement.connections = connections;
      const end = performance.now() + seconds * 1000;
      let index = 0;
      const connection = async () => {
        while (performance.now() < end && !this.#pool.closed) {
          const each = next(index++);
          if (!each) return;
          const started = performance.now();
          const isFine = await this.#isAnswered(each);
          measurement.add(performance.now() - started, isFine);
        }
      };
      await Promise.all(Array.from({ length: connections }, connection));
    });
  }

  /** Reads one address again and again on each connection, as cheaply as can be, until the time is over. */
  async repeat(request, { seconds = this.seconds, connections = this.connections } = {}) {
    return this.#measure(true, async (measurement) => {
      measurement.connections = connections;
      const until = performance.now() + seconds * 1000;
      const one = () => repeat(this.origin, request, { until, measurement });
      await Promise.all(Array.from({ length: connections }, one));
    });
  }

  /**
   * Sends requests at fixed times, whether or not those before have been answered, until the time is over or a function
   * gives nothing more. A latency begins when the request was due.
   */
  async pace(request, { perSecond, seconds = this.seconds, isAlone = false }) {
    const next = typeof request === 'function' ? request : () => request;
    return this.#measure(isAlone, async (measurement) => {
      const running = new Set();
      const began = performance.now();
      for (let index = 0; index < seconds * perSecond; index++) {
        const due = began + (index * 1000) / perSecond;
        if (due > performance.now()) await sleep(due - performance.now());
        const each = next(index);
        if (!each || this.#pool.closed) break;
        const task = this.#isAnswered(each).then((isFine) => {
          measurement.add(performance.now() - due, isFine);
          running.delete(task);
        });
        running.add(task);
        measurement.connections = Math.max(measurement.connections, running.size);
      }
      await Promise.all(running);
    });
  }

  /** The same of one request, from a thread of its own, for where this one has much to do. */
  async paceElsewhere(request, options) {
    const workerData = { origin: this.origin, request, options };
    const worker = new Worker(new URL('./pace-worker.mjs', import.meta.url), { workerData });
    const [measurement] = await once(worker, 'message');
    return Object.assign(new Measurement(), measurement, { memory: this.server?.memory() });
  }

  /** Waits for what was begun; nothing can be sent any more. */
  async close() {
    if (!this.#pool.closed) await this.#pool.close();
  }

  async #measure(isAlone, work) {
    const measurement = await Measurement.of(this.server, work);
    if (!isAlone) measurement.cpuTime = undefined;
    return measurement;
  }

  async #timeOf(request) {
    const started = performance.now();
    await this.#isAnswered(request);
    return performance.now() - started;
  }

  /** Sends it the cheapest way there is, because the load must not be what limits the server. */
  #isAnswered(request) {
    return new Promise((resolve) => {
      let status;
      this.#pool.dispatch(toRequest(request), {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData() {},
        onResponseEnd() {
          resolve(status < 400);
        },
        onResponseError() {
          resolve(false);
        },
      });
    });
  }
}

function toRequest({ method = 'GET', path, token, headers, body }) {
  const all = { ...headers, ...(token && { authorization: token }) };
  if (body === undefined) return { method, path, headers: all };
  if (typeof body === 'string' || Buffer.isBuffer(body))
    return { method, path, headers: { 'content-type': 'application/json', ...all }, body };
  return { method, path, headers: { 'content-type': 'application/json', ...all }, body: JSON.stringify(body) };
}
