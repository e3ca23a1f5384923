import { useEffect, useRef } from 'react';
import classes from './tick.module.css';

interface TickProps {
  readonly label: string;
  readonly checked: boolean;
  /** Some of what it stands for is chosen. */
  readonly some?: boolean;
  readonly onTick?: (shift: boolean) => void;
}

/** The checkbox of a row. The browser's own: a table has one for each row (OPS-203). */
export function Tick({ label, checked, some = false, onTick }: TickProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current) input.current.indeterminate = some;
  }, [some]);
  return (
    <input
      ref={input}
      type="checkbox"
      className={classes.tick}
      aria-label={label}
      checked={checked}
      readOnly
      // Shift is only known to the click.
      onClick={onTick ? (event) => onTick(event.shiftKey) : undefined}
    />
  );
}
