import { parseStored } from './stored-date.js';

/** A stored date in UTC with local time on hover. */
export function DateView({ value, long }: { value: unknown; long?: boolean }) {
  if (!parseStored(value)) return <span className="hint">–</span>;
  const text = String(value);
  return (
    <span className="mono tabular date" data-utc={text}>
      {long ? text : text.slice(0, 19)}
      {long ? null : <span className="unit"> UTC</span>}
    </span>
  );
}
