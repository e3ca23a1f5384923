import { useRef, useState } from 'react';
import { toggled } from './toggled.js';

export interface RangeSelection {
  readonly selected: ReadonlySet<string>;
  /** Ticks or unticks one id; with Shift the whole range since the last one. */
  toggle(id: string, shift: boolean): void;
  setAll(ids: readonly string[]): void;
  clear(): void;
}

/** Selection of rows by checkbox with Shift+click ranges, in the order in which they are shown. */
export function useRangeSelection(order: readonly string[], initial: readonly string[] = []): RangeSelection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set(initial));
  const last = useRef<string | null>(null);
  return {
    selected,
    toggle: (id, shift) => {
      setSelected(toggled(selected, order, { id, shift, last: last.current }));
      last.current = id;
    },
    setAll: (ids) => setSelected(new Set(ids)),
    clear: () => setSelected(new Set()),
  };
}
