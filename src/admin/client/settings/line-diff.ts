export interface DiffRow {
  readonly left: string | null;
  readonly right: string | null;
}

/** Lines of two texts side by side, equal ones in the same row (longest common subsequence). */
export function lineDiff(before: string, after: string): DiffRow[] {
  const a = before ? before.split('\n') : [];
  const b = after ? after.split('\n') : [];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        a[i] === b[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const rows: DiffRow[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push({ left: a[i]!, right: b[j]! });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      rows.push({ left: a[i]!, right: null });
      i += 1;
    } else {
      rows.push({ left: null, right: b[j]! });
      j += 1;
    }
  }
  return rows;
}
