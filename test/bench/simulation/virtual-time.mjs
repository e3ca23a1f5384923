/** What happens closer together than this, in ms, happens at the same moment. */
const MOMENT = 0.05;

/**
 * A clock that goes as fast as there is nothing left to do at its moment. While it runs, `setInterval` keeps its time:
 * the code of the application does not notice. All times are milliseconds.
 */
export class VirtualTime {
  now = 0;
  #heap = [];
  #count = 0;

  /** Has something done at a time; not before now. */
  at(time, work) {
    const heap = this.#heap;
    const entry = { time: Math.max(time, this.now), place: this.#count++, work };
    let index = heap.push(entry) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, heap[parent])) break;
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = entry;
  }

  after(delay, work) {
    this.at(this.now + delay, work);
  }

  /** Goes on until then, or until nothing is left to do that `isOver` waits for. */
  async run(until, isOver = () => false) {
    const real = globalThis.setInterval;
    globalThis.setInterval = (work, every) => this.#repeat(work, every);
    try {
      while (this.#heap.length > 0 && this.#heap[0].time <= until && !isOver()) {
        const moment = (this.now = this.#heap[0].time) + MOMENT;
        while (this.#heap.length > 0 && this.#heap[0].time <= moment) this.#take().work();
        // What was promised at this moment is dealt with before the next one.
        await new Promise(setImmediate);
        await new Promise(setImmediate);
      }
    } finally {
      globalThis.setInterval = real;
    }
  }

  #repeat(work, every) {
    const again = () => {
      work();
      this.after(every, again);
    };
    this.after(every, again);
    return { unref: () => undefined };
  }

  #take() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one, other) {
  return one.time < other.time || (one.time === other.time && one.place < other.place);
}

/** Something that does one thing after the other on so many cores, in virtual time. */
export class Processor {
  /** Milliseconds for which it was at work, on all cores together. */
  busy = 0;
  #time;
  #free;

  constructor(time, cores = 1) {
    this.#time = time;
    this.#free = Array.from({ length: cores }, () => 0);
  }

  /** Takes that long; calls back when it is done. */
  do(duration, work) {
    const free = this.#free;
    let core = 0;
    for (let each = 1; each < free.length; each++) if (free[each] < free[core]) core = each;
    const end = (free[core] = Math.max(this.#time.now, free[core]) + duration);
    this.busy += duration;
    if (end - this.#time.now <= MOMENT) work();
    else this.#time.at(end, work);
  }
}
