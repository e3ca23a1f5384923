/** What the last choice leads from. */
export interface Choice {
  readonly id: string;
  /** With Shift: everything from the one chosen last. */
  readonly shift: boolean;
  readonly last: string | null;
}

/** A selection after one of its rows was ticked or unticked, in the order in which they are shown. */
export function toggled(
  selected: ReadonlySet<string>,
  order: readonly string[],
  { id, shift, last }: Choice,
): ReadonlySet<string> {
  const next = new Set(selected);
  const isAdded = !next.has(id);
  const from = last === null ? -1 : order.indexOf(last);
  const to = order.indexOf(id);
  const range = shift && from >= 0 && to >= 0 ? order.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
  for (const each of range) {
    if (isAdded) next.add(each);
    else next.delete(each);
  }
  return next;
}
