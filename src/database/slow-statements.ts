/** A statement and how long its runs took, in milliseconds. */
export interface SlowStatement {
  readonly sql: string;
  readonly runs: number;
  readonly average: number;
  readonly slowest: number;
}

/** Remembered statements, and how much of the text of each. */
const REMEMBERED = 100;
const LONGEST = 2_000;

interface Runs {
  runs: number;
  total: number;
  slowest: number;
}

/** The slowest of the statements it is told of, whose texts have no values in them. */
export class SlowStatements {
  private readonly runsOf = new Map<string, Runs>();

  add(sql: string, milliseconds: number): void {
    if (!Number.isFinite(milliseconds)) return;
    const key = sql.slice(0, LONGEST);
    const known = this.runsOf.get(key);
    if (known) {
      known.runs += 1;
      known.total += milliseconds;
      known.slowest = Math.max(known.slowest, milliseconds);
      return;
    }
    if (this.runsOf.size === REMEMBERED && !this.makeRoomFor(milliseconds)) return;
    this.runsOf.set(key, { runs: 1, total: milliseconds, slowest: milliseconds });
  }

  /** The slowest first. */
  all(): SlowStatement[] {
    const rounded = (milliseconds: number) => Math.round(milliseconds * 10) / 10;
    return [...this.runsOf]
      .map(([sql, { runs, total, slowest }]) => ({
        sql,
        runs,
        average: rounded(total / runs),
        slowest: rounded(slowest),
      }))
      .toSorted((a, b) => b.slowest - a.slowest);
  }

  /** Makes room for a run by removing the quickest statement, if that was quicker. */
  private makeRoomFor(milliseconds: number): boolean {
    const [sql, { slowest }] = [...this.runsOf].reduce((a, b) => (a[1].slowest <= b[1].slowest ? a : b));
    if (slowest >= milliseconds) return false;
    this.runsOf.delete(sql);
    return true;
  }
}
