import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

/** One realtime stream on a bare socket: reading it costs the measuring process as little as possible. */
export class EventStream {
  /** How many messages have arrived since it was subscribed or `expect` was called. */
  received = 0;
  #socket;
  #text = '';
  #kept;
  #expected = 0;
  #resolve;

  constructor(origin) {
    const { protocol, hostname, port } = new URL(origin);
    const isSecure = protocol === 'https:';
    const to = { host: hostname, port: Number(port || (isSecure ? 443 : 80)) };
    this.#socket = isSecure ? connectSecurely({ ...to, servername: hostname }) : connect(to);
    this.#socket.on('error', () => {});
    /** Fulfilled when it has told its id. */
    this.connected = new Promise((resolve, reject) => {
      this.#socket.once('close', () => reject(new Error('A stream was closed.')));
      const read = (bytes) => {
        this.#text += bytes;
        const match = /PB_CONNECT\r?\ndata: ?\{"clientId":"(\w+)"/.exec(this.#text);
        if (!match) return;
        this.clientId = match[1];
        this.#text = '';
        this.#socket.off('data', read).on('data', (more) => this.#take(more));
        resolve(this);
      };
      this.#socket.on('data', read);
    });
    this.#socket.write(`GET /api/realtime HTTP/1.1\r\nHost: ${hostname}\r\nAccept: text/event-stream\r\n\r\n`);
  }

  /** Fulfilled when so many messages have arrived from now on. Several that arrive together count as one unless it keeps them. */
  expect(count = 1) {
    this.received = 0;
    this.#expected = count;
    return new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Keeps what arrives from now on. */
  keep() {
    this.#kept = [];
  }

  /** What has been kept. */
  get text() {
    return this.#kept.join('');
  }

  close() {
    this.#socket.destroy();
  }

  #take(bytes) {
    if (this.#kept) {
      this.#kept.push(bytes.toString());
      // The word may be in two pieces.
      const text = this.#text + bytes;
      this.received += text.split('event:').length - 1;
      this.#text = text.slice(1 - 'event:'.length);
    } else {
      this.received++;
    }
    if (this.received >= this.#expected) this.#resolve?.();
  }
}
