import { useRef, useState } from 'react';

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
      const next = new Set(selected);
      const add = !next.has(id);
      const from = last.current === null ? -1 : order.indexOf(last.current);
      const to = order.indexOf(id);
      const range = shift && from >= 0 ? order.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
      for (const each of range) {
        if (add) next.add(each);
        else next.delete(each);
      }
      last.current = id;
      setSelected(next);
    },
    setAll: (ids) => setSelected(new Set(ids)),
    clear: () => setSelected(new Set()),
  };
}
