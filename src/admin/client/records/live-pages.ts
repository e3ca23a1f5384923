import type { ListResult, RecordModel } from 'pocketbase';
import { positionOf } from './record-order.js';

export interface RecordChange {
  /** A record leaves when it is there, and does not fit the filter any more. */
  readonly action: 'create' | 'update' | 'delete' | 'leave';
  readonly record: RecordModel;
}

/** How a list shows its rows, as far as a change has to fit in. */
export interface ShownOrder {
  /** What the rows are sorted by. */
  readonly sort: string;
  /** Is a row that changes left where it is? */
  readonly staysInPlace: boolean;
  /** Are all rows loaded, so that the last place is the last one? */
  readonly isComplete: boolean;
}

type Page = ListResult<RecordModel>;

/** What has become of a list. */
export interface ChangedPages {
  /** The very same ones when the change means nothing to them. */
  readonly pages: readonly Page[];
  /** Does the record belong to rows that are not loaded? */
  readonly isOutside: boolean;
  /** How many more records fit the filter now; undefined where that cannot be told from the rows that are loaded. */
  readonly difference: number | undefined;
}

/**
 * Puts a change into loaded pages: by their order, or where the record was. Whether a record that was made or changed
 * fits the filter is for others to know.
 */
export function withChange(
  pages: readonly Page[],
  { action, record }: RecordChange,
  { sort, staysInPlace, isComplete }: ShownOrder,
): ChangedPages {
  const shown = pages.flatMap((page) => page.items);
  const place = shown.findIndex((each) => each.id === record.id);
  const known = shown[place];
  const without = known
    ? pages.map((page) => ({ ...page, items: page.items.filter((each) => each !== known) }))
    : pages;
  if (action === 'delete') return { pages: without, isOutside: false, difference: -1 };
  const unknown = isComplete ? 0 : undefined;
  if (action === 'leave') return { pages: without, isOutside: false, difference: known ? -1 : unknown };
  const changed = known ? { ...known, ...record, expand: { ...known.expand, ...record.expand } } : record;
  const rest = without.flatMap((page) => page.items);
  const at = known && staysInPlace ? place : positionOf(changed, rest, sort);
  const isOutside = !known && at === rest.length && rest.length > 0 && !isComplete;
  const isOneMore = action === 'create' || isComplete;
  return {
    pages: isOutside ? pages : withRow(without, changed, at),
    isOutside,
    difference: known ? 0 : isOneMore ? 1 : undefined,
  };
}

function withRow(pages: readonly Page[], record: RecordModel, at: number): readonly Page[] {
  let before = 0;
  for (const [index, page] of pages.entries()) {
    if (at <= before + page.items.length) {
      return pages.with(index, { ...page, items: page.items.toSpliced(at - before, 0, record) });
    }
    before += page.items.length;
  }
  return pages;
}

/** What is heard twice where a list is live: what was made and deleted in it by oneself. */
export class HeardChanges {
  private readonly last = new Map<string, RecordChange['action']>();

  /** Is this the first time that it is heard of? */
  isNews({ action, record }: RecordChange): boolean {
    if (action === 'update' || action === 'leave') return !this.isDeleted(record);
    if (this.last.get(record.id) === action) return false;
    this.last.set(record.id, action);
    return true;
  }

  clear(): void {
    this.last.clear();
  }

  /** Word of what was done to a record before must not bring it back. */
  private isDeleted({ id }: RecordModel): boolean {
    return this.last.get(id) === 'delete';
  }
}
