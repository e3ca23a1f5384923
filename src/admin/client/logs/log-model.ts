import type { LogEntry } from '../api/models.js';

export const LEVELS: readonly { readonly level: number; readonly name: string }[] = [
  { level: -4, name: 'DEBUG' },
  { level: 0, name: 'INFO' },
  { level: 4, name: 'WARN' },
  { level: 8, name: 'ERROR' },
];

/** The name of a level; numbers between the named ones count from the one below. */
export function levelName(level: number): string {
  const below = LEVELS.toReversed().find((each) => each.level <= level) ?? LEVELS[0]!;
  const rest = level - below.level;
  return rest ? `${below.name}${rest > 0 ? '+' : ''}${rest}` : below.name;
}

/** The parts of an entry that say most at a glance. */
export function keyValues(entry: LogEntry): [string, string][] {
  const { data } = entry;
  const shown =
    data.type === 'request'
      ? ['status', 'execTime', 'auth', 'userIP']
      : Object.keys(data).filter((key) => key !== 'error' && key !== 'details');
  return shown
    .filter((key) => data[key] !== undefined && data[key] !== '')
    .slice(0, 5)
    .map((key) => {
      const value = data[key];
      const text =
        key === 'execTime'
          ? `${Number(value).toFixed(1)} ms`
          : typeof value === 'object'
            ? JSON.stringify(value)
            : String(value);
      return [key, text.length > 80 ? `${text.slice(0, 80)}…` : text];
    });
}
