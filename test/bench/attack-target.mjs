import { once, setMaxListeners } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { Agent } from 'undici';

const PATIENT = { headersTimeout: 0, bodyTimeout: 0, connections: 200 };

/** A server that is attacked: what an attack sends goes through here, and its answers are counted by their status. */
export class AttackTarget {
  /** How many answers had which status; `-` where there was none. */
  answers = {};
  #agent = new Agent(PATIENT);
  /** Another client, by its address. */
  #other = new Agent({ ...PATIENT, localAddress: '127.0.0.2' });
  #signal;

  /** `token` is that of a superuser; requests of an attack are a guest's unless they name one. */
  constructor(server, token, signal) {
    this.origin = server.origin;
    this.load = server.load;
    this.token = token;
    this.#signal = signal;
    // Every request listens.
    setMaxListeners(0, signal);
  }

  /** A request of the preparations, as a superuser: its answer. Throws when it fails. */
  call(method, path, body) {
    return this.load.call(method, path, { token: this.token, body });
  }

  /** Makes a record in preparation. */
  create(collection, values) {
    return this.call('POST', records(collection), values);
  }

  /** Signs an account in; its token. */
  signIn(collection, identity, password) {
    return this.load.signIn(collection, identity, password);
  }

  /**
   * One request of the attack, or of somebody `elsewhere`. A body that is neither text nor bytes is sent as JSON. Never
   * throws.
   */
  async send(method, path, body, { token, headers, elsewhere = false } = {}) {
    const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
    const all = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
    if (token) all.authorization = token;
    try {
      const agent = elsewhere ? this.#other : this.#agent;
      const response = await agent.request({
        origin: this.origin,
        method,
        path,
        headers: all,
        body: isRaw ? body : JSON.stringify(body),
        signal: this.#signal,
      });
      // Answers may be of any size, and nobody reads them. Infinity would stand for the default, 128 KiB.
      await response.body.dump({ limit: Number.MAX_SAFE_INTEGER });
      this.#count(response.statusCode);
    } catch {
      this.#count('-');
    }
  }

  /** A read of a list. */
  list(collection, query = {}, options) {
    return this.send('GET', `${records(collection)}?${new URLSearchParams(query)}`, undefined, options);
  }

  /** A create. */
  post(collection, values, options) {
    return this.send('POST', records(collection), values, options);
  }

  /** The same so many times at once. */
  together(count, one) {
    return Promise.all(Array.from({ length: count }, (_, index) => one(index)));
  }

  /** A request whose head is written as it is given, for what clients do not let through. */
  raw(method, path, headers, body) {
    return new Promise((resolve) => {
      const done = (status) => {
        this.#count(status);
        resolve();
      };
      const request = httpRequest(`${this.origin}${path}`, { method, headers, signal: this.#signal }, (response) =>
        response.resume().once('close', () => done(response.statusCode)),
      );
      request.once('error', () => done('-'));
      request.end(body);
    });
  }

  /** How long somebody elsewhere waits for an answer that has nothing to do with the attack, as a text. */
  async waitOf(what, method, path, body) {
    const started = performance.now();
    await this.send(method, path, body, { elsewhere: true });
    return `${what} waited ${Math.round(performance.now() - started).toLocaleString('en')} ms`;
  }

  /**
   * Bare connections over which this was written and nothing is read, for as long as the attack goes on; `text` may be a
   * function of the connection's number.
   */
  connections(count, text = '') {
    const { hostname, port } = new URL(this.origin);
    return this.together(count, async (index) => {
      const socket = connect({ host: hostname, port: Number(port) }).on('error', () => {});
      socket.pause();
      this.#signal.addEventListener('abort', () => socket.destroy());
      await once(socket, 'connect');
      const head = typeof text === 'function' ? text(index) : text;
      if (head !== '') socket.write(head);
      return socket;
    });
  }

  async close() {
    await Promise.all([this.#agent.destroy(), this.#other.destroy()]);
  }

  #count(status) {
    this.answers[status] = (this.answers[status] ?? 0) + 1;
  }
}

export function records(collection) {
  return `/api/collections/${collection}/records`;
}

/** A body of `multipart/form-data` and the headers that belong to it; a part is `{ name, value, filename, type }`. */
export function form(parts) {
  const boundary = 'roost-bench-boundary';
  const pieces = parts.flatMap(({ name, value, filename, type }) => [
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n`,
    `${type ? `content-type: ${type}\r\n` : ''}\r\n`,
    value,
    '\r\n',
  ]);
  const body = Buffer.concat([...pieces, `--${boundary}--\r\n`].map((piece) => Buffer.from(piece)));
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

/** A record's id with this number. */
export function id(number, letter = 'r') {
  return letter + String(number).padStart(14, '0');
}
