import { diffArrays } from 'diff';

export interface DiffRow {
  readonly left: string | null;
  readonly right: string | null;
}

function linesOf(text: string): string[] {
  return text ? text.split('\n') : [];
}

/** Lines of two texts side by side, equal ones in the same row. */
export function lineDiff(before: string, after: string): DiffRow[] {
  return diffArrays(linesOf(before), linesOf(after)).flatMap(({ value, added, removed }) =>
    value.map((line) => ({ left: added ? null : line, right: removed ? null : line })),
  );
}
