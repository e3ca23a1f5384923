const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

function values(field: string, [low, high]: readonly [number, number]): Set<number> | undefined {
  const found = new Set<number>();
  for (const part of field.split(',')) {
    const match = /^(?:\*|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(part);
    if (!match) return undefined;
    const from = match[1] === undefined ? low : Number(match[1]);
    const to = match[1] === undefined ? high : Number(match[2] ?? match[1]);
    if (from < low || to > high || from > to) return undefined;
    for (let value = from; value <= to; value += Number(match[3] ?? 1) || 1) found.add(value);
  }
  return found;
}

/** When a schedule is due next, in UTC; undefined when it is none or never due (OPS-140: all five fields must match). */
export function nextRun(expression: string, after: Date): Date | undefined {
  const fields = (MACROS[expression] ?? expression).split(' ');
  if (fields.length !== 5) return undefined;
  const sets = fields.map((field, index) => values(field, RANGES[index]!));
  if (sets.some((set) => set === undefined)) return undefined;
  const [minutes, hours, days, months, weekdays] = sets as Set<number>[];
  const time = new Date(Math.floor(after.getTime() / 60_000) * 60_000 + 60_000);
  const end = after.getTime() + 5 * 366 * 86_400_000;
  while (time.getTime() < end) {
    if (!months!.has(time.getUTCMonth() + 1) || !days!.has(time.getUTCDate()) || !weekdays!.has(time.getUTCDay())) {
      time.setUTCDate(time.getUTCDate() + 1);
      time.setUTCHours(0, 0, 0, 0);
    } else if (!hours!.has(time.getUTCHours())) time.setUTCHours(time.getUTCHours() + 1, 0, 0, 0);
    else if (!minutes!.has(time.getUTCMinutes())) time.setUTCMinutes(time.getUTCMinutes() + 1, 0, 0);
    else return time;
  }
  return undefined;
}
