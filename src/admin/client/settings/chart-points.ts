import type { SqlAnswer } from '../api/models.js';

export interface ChartPoint {
  readonly label: string;
  readonly value: number;
}

/** More than these would be too thin to be seen. */
const MOST = 200;

/**
 * What a chart shows of a result with two columns: a label and a number. Undefined for other results, and where there
 * are less than two rows or too many.
 */
export function chartPoints({ columns, rows }: Pick<SqlAnswer, 'columns' | 'rows'>): ChartPoint[] | undefined {
  if (columns.length !== 2 || rows.length < 2 || rows.length > MOST) return undefined;
  const isNumber = (value: string | null | undefined) =>
    typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value));
  if (!rows.every((row) => isNumber(row[1]) || row[1] === null) || !rows.some((row) => row[1] !== null))
    return undefined;
  return rows.map((row) => ({ label: row[0] ?? 'NULL', value: Number(row[1]) }));
}

/** Where bars begin and how long they are, in parts of the whole, so that negative values lie left of zero. */
export function barOf(
  value: number,
  points: readonly ChartPoint[],
): { readonly from: number; readonly length: number } {
  const least = Math.min(0, ...points.map((point) => point.value));
  const span = Math.max(0, ...points.map((point) => point.value)) - least || 1;
  return { from: (Math.min(0, value) - least) / span, length: Math.abs(value) / span };
}
