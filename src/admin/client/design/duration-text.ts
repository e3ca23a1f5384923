const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

/**
 * Seconds for people, such as "5 days" or "1 hour 30 minutes"; '' below a minute, where they can be read as they are.
 */
export function durationText(seconds: number): string {
  let rest = Math.floor(seconds);
  const parts: string[] = [];
  for (const [size, name] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count) parts.push(`${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`);
  }
  const exact = !rest && parts.length <= 2;
  return parts.length ? `${exact ? '' : 'about '}${parts.slice(0, 2).join(' ')}` : '';
}
