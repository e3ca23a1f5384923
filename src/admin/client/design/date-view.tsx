import { Tooltip } from '@mantine/core';

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

/** A stored date in UTC with local time on hover. */
export function DateView({ value, long }: { value: unknown; long?: boolean }) {
  const date = parseStored(value);
  if (!date) return <span className="hint">–</span>;
  const text = String(value);
  return (
    <Tooltip label={`${localTime(date)} local`}>
      <span className="mono tabular" style={{ whiteSpace: 'nowrap' }}>
        {long ? text : text.slice(0, 19)}
        <span style={{ color: 'var(--ink-3)' }}>{long ? '' : ' UTC'}</span>
      </span>
    </Tooltip>
  );
}
