/** The minimum and maximum of the five fields: minute, hour, day, month, weekday (0 is Sunday). */
const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
// The longest gap of a schedule that fires at all: 29 February on a given weekday, across a year such as 2100.
const LONGEST_GAP = 41 * 366 * DAY;

/** A schedule in the form of OPS-140: five fields or a macro such as `@daily`, all of them in UTC. A value. */
export class CronExpression {
  private constructor(
    /** The text it was read from. */
    readonly text: string,
    private readonly fields: readonly ReadonlySet<number>[],
  ) {}

  /** Reads a schedule; undefined when the text is none. */
  static parse(text: string): CronExpression | undefined {
    const parts = (Object.hasOwn(MACROS, text) ? MACROS[text]! : text).split(' ');
    if (parts.length !== RANGES.length) return undefined;
    const fields = parts.map((part, index) => parseField(part, RANGES[index]![0], RANGES[index]![1]));
    return fields.every((field) => field !== undefined) ? new CronExpression(text, fields) : undefined;
  }

  /** True in every minute in which it is due; seconds do not matter. All five fields have to match. */
  matches(moment: number): boolean {
    const date = new Date(moment);
    return this.matchesDay(date) && this.allows(1, date.getUTCHours()) && this.allows(0, date.getUTCMinutes());
  }

  /** The first due minute after this moment, undefined when it is never due (30 February). */
  next(after: number): number | undefined {
    const end = after + LONGEST_GAP;
    let moment = (Math.floor(after / MINUTE) + 1) * MINUTE;
    while (moment <= end) {
      const date = new Date(moment);
      if (!this.allows(3, date.getUTCMonth() + 1)) {
        moment = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      } else if (!this.matchesDay(date)) {
        moment = (Math.floor(moment / DAY) + 1) * DAY;
      } else if (!this.allows(1, date.getUTCHours())) {
        moment = (Math.floor(moment / HOUR) + 1) * HOUR;
      } else if (!this.allows(0, date.getUTCMinutes())) {
        moment += MINUTE;
      } else {
        return moment;
      }
    }
    return undefined;
  }

  private matchesDay(date: Date): boolean {
    return (
      this.allows(3, date.getUTCMonth() + 1) && this.allows(2, date.getUTCDate()) && this.allows(4, date.getUTCDay())
    );
  }

  private allows(field: number, value: number): boolean {
    return this.fields[field]!.has(value);
  }
}

/** True when the text is a schedule of OPS-140. */
export function isCronExpression(text: string): boolean {
  return CronExpression.parse(text) !== undefined;
}

const ITEM = /^(?:(?<single>\d{1,2})|(?:\*|(?<from>\d{1,2})-(?<to>\d{1,2}))(?:\/(?<step>\d{1,2}))?)$/;

function parseField(text: string, min: number, max: number): ReadonlySet<number> | undefined {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const groups = ITEM.exec(item)?.groups;
    if (!groups) return undefined;
    const from = Number(groups['single'] ?? groups['from'] ?? min);
    const to = Number(groups['single'] ?? groups['to'] ?? max);
    const step = Number(groups['step'] ?? 1);
    if (from < min || to > max || from > to || step < 1 || step > max) return undefined;
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}
