/** The moment of a stored date, or null when it is empty or unreadable. */
export function parseStored(value: unknown): Date | null {
  if (typeof value !== 'string' || value === '') return null;
  const date = new Date(value.replace(' ', 'T'));
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Local time, spelled with its zone. */
export function localTime(date: Date): string {
  return date.toLocaleString(undefined, {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
}
