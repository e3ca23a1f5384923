/** The shortest time that is told apart, in milliseconds. */
const SHORTEST = 0.1;
/** Classes for each doubling: a percentile is off by a quarter at most. */
const PER_DOUBLING = 3;
/** Up to about two minutes. */
const CLASSES = 62;

/** A histogram of durations, in classes of growing width. */
export class Latencies {
  private readonly counts = new Uint32Array(CLASSES);
  private total = 0;

  add(milliseconds: number): void {
    this.counts[placeOf(milliseconds)]! += 1;
    this.total += 1;
  }

  addAll(others: Latencies): void {
    for (let place = 0; place < CLASSES; place++) this.counts[place]! += others.counts[place]!;
    this.total += others.total;
  }

  /** What so many of a hundred took no longer than; null where there are none. */
  percentile(percent: number): number | null {
    if (this.total === 0) return null;
    let missing = Math.ceil((this.total * percent) / 100);
    let place = 0;
    while ((missing -= this.counts[place]!) > 0) place += 1;
    return round(SHORTEST * 2 ** (place / PER_DOUBLING));
  }
}

function placeOf(milliseconds: number): number {
  if (milliseconds <= SHORTEST) return 0;
  return Math.min(CLASSES - 1, Math.ceil(Math.log2(milliseconds / SHORTEST) * PER_DOUBLING));
}

/** Rounds to two significant digits, which is as precise as the classes are. */
function round(milliseconds: number): number {
  return Number(milliseconds.toPrecision(2));
}
