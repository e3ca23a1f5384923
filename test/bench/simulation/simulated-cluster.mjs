import { Processor, VirtualTime } from './virtual-time.mjs';

/** Milliseconds from one machine of a data centre to another. */
const NETWORK = 0.25;
/** Milliseconds in which what was said while all began is heard, at most. */
const SETTLED = 60_000;
/** Cores of the machine of PostgreSQL. */
export const DATABASE_CORES = 16;
/** Requests a second of each instance when definitions change: each asks whether they have. */
const REQUESTS = 20;

/** An event of the application's own, which travels as one of a record does. */
class Written {
  constructor(number) {
    this.number = number;
  }
}

/**
 * Instances on one database and one bus, in virtual time. How they tell each other what they have written and read it is
 * the code of the application (ClusterLink, Outbox, KnownDefinitions); bus, database and processors are models that
 * take as long as was measured of the real ones.
 */
export class SimulatedCluster {
  time = new VirtualTime();
  bus = new Processor(this.time);
  database = new Processor(this.time, DATABASE_CORES);
  published = 0;
  delivered = 0;
  reads = 0;
  /** By number: when it was asked for, when it was committed, how many instances have heard of it, and the last one when. */
  events = [];
  instances = [];
  #parts;
  #costs;
  /** What `_outbox` holds, by id, as far as it is committed. */
  #entries = [];
  #lastId = 0;
  #version = 0;

  #carry;

  /** `byRedis`: whether Redis carries messages, or the database. */
  constructor({ parts, costs, count, byRedis = true }) {
    this.#parts = parts;
    this.#costs = costs;
    this.#carry = byRedis ? (arrive) => this.#byRedis(arrive) : (arrive) => this.#byDatabase(arrive);
    for (let index = 0; index < count; index++) this.instances.push(this.#instance(index));
  }

  /** All of them serve, each says so at a moment of its own. */
  async open() {
    for (const { link, outbox } of this.instances) {
      await link.open();
      await outbox.begin();
    }
    await this.#run(SETTLED, () => this.delivered === this.published * this.instances.length);
    for (const { link } of this.instances) this.time.after(Math.random() * 1000, () => link.ready());
    await this.#run(1300);
    this.#forget();
  }

  /** So many writes a second, each at some instance, for so many milliseconds; until all have heard or no time is left. */
  async write(rate, duration, patience) {
    const count = Math.max(1, Math.round((rate * duration) / 1000));
    const start = this.time.now;
    for (let number = 0; number < count; number++) {
      const event = { heard: 0 };
      this.events.push(event);
      const at = this.instances[Math.floor(Math.random() * this.instances.length)];
      this.time.at(start + Math.random() * duration, () => {
        event.asked = this.time.now;
        void at.outbox.store([new Written(number)]);
      });
    }
    const all = () => this.events.every(({ heard }) => heard >= this.instances.length);
    await this.#run(duration);
    const measured = this.#measured(duration);
    await this.#run(patience, all);
    return measured;
  }

  /** One instance changes definitions. Milliseconds until the last request that begins with the ones before has begun. */
  async change() {
    this.#version++;
    const changed = this.time.now;
    let last = changed;
    let waiting = this.instances.length;
    for (const instance of this.instances) {
      const request = async () => {
        await this.#ask(this.#costs.database.view);
        const before = instance.known;
        await instance.definitions.follow(String(this.#version));
        if (instance.known !== before) {
          last = Math.max(last, this.time.now);
          waiting--;
        }
        if (waiting > 0) this.time.after(1000 / REQUESTS, () => void request());
      };
      this.time.at(changed + (Math.random() * 1000) / REQUESTS, () => void request());
    }
    await this.#run(10_000, () => waiting === 0);
    return waiting === 0 ? last - changed : undefined;
  }

  #run(duration, isOver) {
    return this.time.run(this.time.now + duration, isOver);
  }

  #forget() {
    this.bus.busy = this.database.busy = this.published = this.delivered = this.reads = 0;
    for (const { processor } of this.instances) processor.busy = 0;
  }

  #measured(duration) {
    const seconds = duration / 1000;
    const busiest = Math.max(...this.instances.map(({ processor }) => processor.busy));
    return {
      published: this.published / seconds,
      delivered: this.delivered / seconds,
      reads: this.reads / seconds,
      bus: this.bus.busy / duration,
      database: this.database.busy / duration,
      instance: busiest / duration,
    };
  }

  #instance(index) {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    const { ClusterLink, Outbox, StreamInterest, KnownDefinitions } = this.#parts;
    const instance = { processor: new Processor(this.time), known: '0' };
    const local = { isJoining: false, turns: undefined, isDirectoryLocked: false, ready: () => undefined };
    instance.link = new ClusterLink({ id, bus: this.#busOf(instance), locks: LOCKS, local });
    const database = this.#databaseOf(instance);
    instance.outbox = new Outbox(database, instance.link, new StreamInterest(instance.link, database));
    instance.outbox.register(Written);
    instance.outbox.onEvent(({ number }) => this.#heard(number));
    instance.definitions = new KnownDefinitions(async () => {
      const version = String(this.#version);
      await this.#ask(this.#costs.database.reload);
      await new Promise((resolve) => instance.processor.do(this.#costs.instance.reload, resolve));
      instance.known = version;
    });
    return instance;
  }

  /** An InstanceBus. */
  #busOf(instance) {
    return {
      isUp: true,
      open: async () => undefined,
      subscribe: async (_channel, listener) => void (instance.listener = listener),
      publish: async (_channel, message) => this.#publish(message),
      onLost: () => undefined,
      onBack: () => undefined,
    };
  }

  #publish(message) {
    const { heard } = this.#costs.instance;
    this.published++;
    const arrive = () => {
      this.delivered += this.instances.length;
      for (const { processor, listener } of this.instances) processor.do(heard, () => listener(message));
    };
    this.time.after(NETWORK, () => this.#carry(() => this.time.after(NETWORK, arrive)));
  }

  #byRedis(arrive) {
    const { publish, delivery } = this.#costs.bus;
    this.bus.do(publish + delivery * this.instances.length, arrive);
  }

  /** Each connection that listens has a process of its own there, which wakes up. */
  #byDatabase(arrive) {
    const { publish, delivery } = this.#costs.notify;
    const each = (delivery * this.instances.length) / DATABASE_CORES;
    let left = DATABASE_CORES;
    this.database.do(publish, () => {
      for (let core = 0; core < DATABASE_CORES; core++) this.database.do(each, () => --left === 0 && arrive());
    });
  }

  /** What an Outbox needs of a Database. */
  #databaseOf(instance) {
    return {
      dialect: { writersTakeTurns: false },
      lifecycle: { openings: 0 },
      changes: { onForeignDefinitions: () => undefined },
      runOutside: (work) => work(),
      onCommit: (work) => work(),
      get: async () => undefined,
      run: async ({ kind, rows }) => {
        if (kind === 'insert') await this.#insert(rows);
      },
      all: ({ where, limit }) => this.#read(instance, where, limit),
    };
  }

  async #insert(rows) {
    const entries = rows.map(([origin, name, data]) => ({
      id: ++this.#lastId,
      origin: origin.value,
      name: name.value,
      data: data.value,
    }));
    // Numbers are given before commits, which come in another order.
    await this.#ask(this.#costs.database.create * -Math.log(1 - Math.random()));
    for (const entry of entries) {
      this.#entries[entry.id] = entry;
      this.events[JSON.parse(entry.data).number].committed = this.time.now;
    }
  }

  async #read(instance, where, limit) {
    this.reads++;
    const [after, missing] = where.kind === 'or' ? where.terms : [where];
    const found = (missing?.list ?? []).flatMap(({ value }) => this.#entries[value] ?? []);
    await this.#ask(this.#costs.database.read, () => {
      for (let id = after.right.value + 1; id <= this.#lastId && found.length < limit; id++) {
        if (this.#entries[id]) found.push(this.#entries[id]);
      }
    });
    const { read, event } = this.#costs.instance;
    await new Promise((resolve) => instance.processor.do(read + event * found.length, resolve));
    return found;
  }

  #heard(number) {
    const event = this.events[number];
    event.heard++;
    event.last = this.time.now;
  }

  /** A statement that takes so long; `at` is what it does at its end. */
  #ask(duration, at = () => undefined) {
    return new Promise((resolve) => {
      this.time.after(NETWORK, () =>
        this.database.do(duration, () => {
          at();
          this.time.after(NETWORK, resolve);
        }),
      );
    });
  }
}

/** Nobody ends here, and nobody leads: what the one that leads does happens once, however many there are. */
const LOCKS = {
  leads: false,
  tryLock: async () => undefined,
  lock: async () => ({ ended: new Promise(() => undefined), release: async () => undefined }),
  campaign: async () => undefined,
};
