import { EventStream } from './event-stream.mjs';

const AT_ONCE = 250;
const SUBSCRIBERS = 16;

/** What was not delivered after this time is lost. */
const LOST = 60_000;

/** Many realtime streams of one server. */
export class EventStreams {
  #streams = [];

  constructor(load) {
    this.load = load;
  }

  /** Opens so many more. */
  async open(count) {
    const end = this.#streams.length + count;
    while (this.#streams.length < end) {
      const some = Array.from(
        { length: Math.min(AT_ONCE, end - this.#streams.length) },
        () => new EventStream(this.load.origin),
      );
      this.#streams.push(...some);
      await Promise.all(some.map(({ connected }) => connected));
    }
  }

  /** Subscribes all of them, as guests or as those whose tokens are given. */
  async subscribe(topic, tokens = []) {
    const request = (index) =>
      index < this.#streams.length
        ? {
            method: 'POST',
            path: '/api/realtime',
            token: tokens[index % Math.max(1, tokens.length)],
            body: { clientId: this.#streams[index].clientId, subscriptions: [topic] },
          }
        : undefined;
    const options = { seconds: Infinity, connections: SUBSCRIBERS, warmUp: false };
    const { errors } = await this.load.run(request, options);
    if (errors > 0) throw new Error(`${errors} streams could not be subscribed to ${topic}.`);
  }

  /** Fulfilled when every one of them has received so many messages from now on; rejects when they are lost. */
  async expect(count = 1) {
    const all = Promise.all(this.#streams.map((stream) => stream.expect(count)));
    let timer;
    const lost = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`Not every stream received ${count} messages.`)), LOST);
    });
    await Promise.race([all, lost]).finally(() => clearTimeout(timer));
  }

  /** Has them keep the text of what arrives from now on. */
  keep() {
    for (const stream of this.#streams) stream.keep();
  }

  /** What each of them has kept. */
  get texts() {
    return this.#streams.map(({ text }) => text);
  }

  close() {
    for (const stream of this.#streams) stream.close();
  }
}
