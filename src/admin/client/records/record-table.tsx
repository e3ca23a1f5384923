import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useVirtualizer, type Rect, type Virtualizer } from '@tanstack/react-virtual';
import type { RecordModel } from 'pocketbase';
import { memo, useEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { Tick } from '../design/tick.js';
import type { RangeSelection } from '../design/use-range-selection.js';
import { FieldIcon } from '../fields/field-icon.js';
import { sortKey } from './record-query.js';
import { RecordRow } from './record-row.js';
import classes from './records.module.css';

interface RecordTableProps {
  readonly collection: CollectionModel;
  readonly columns: readonly FieldModel[];
  readonly records: readonly RecordModel[];
  readonly sort: string;
  /** What the list shows: when it changes, it begins at the top. */
  readonly query: string;
  readonly onSort: (sort: string) => void;
  readonly onOpen: (id: string) => void;
  readonly selection: RangeSelection;
  /** Ids whose rows glow because they have just changed. */
  readonly changed: ReadonlySet<string>;
  readonly ownId?: string;
  readonly footer?: ReactNode;
  /** The rows are those of the search or order before. */
  readonly outdated?: boolean;
}

const ROW = 38;
/** How many rows beyond those in sight are drawn, and after how long: those in sight come first. */
const OVERSCAN = { rows: 6, delay: 300 };
const NONE: readonly CollectionModel[] = [];
const WIDTHS: Readonly<Record<string, number>> = {
  bool: 100,
  number: 120,
  date: 190,
  autodate: 190,
  select: 180,
  relation: 220,
  file: 160,
  editor: 280,
  json: 240,
  email: 220,
  url: 220,
  geoPoint: 180,
  password: 110,
};

function widthOf(field: FieldModel): number {
  // Wide enough for its name too, as long as that stays within reason.
  return field.name === 'id' ? 176 : Math.max(WIDTHS[field.type] ?? 220, Math.min(260, 48 + field.name.length * 7));
}

/** Measures with the frame, not while drawing: that would lay out the page once more. */
function observeHeight({ scrollElement }: Virtualizer<HTMLDivElement, Element>, onChange: (rect: Rect) => void) {
  if (!scrollElement) return undefined;
  const observer = new ResizeObserver(() =>
    onChange({ width: scrollElement.offsetWidth, height: scrollElement.offsetHeight }),
  );
  observer.observe(scrollElement);
  return () => observer.disconnect();
}

function useOverscan(): number {
  const [rows, setRows] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setRows(OVERSCAN.rows), OVERSCAN.delay);
    return () => clearTimeout(timer);
  }, []);
  return rows;
}

/** The next order when a header is clicked: descending, ascending, none. */
function nextSort(current: string, key: string): string {
  if (current === `-${key}`) return key;
  return current === key ? '' : `-${key}`;
}

const HeaderCell = memo(function HeaderCell({
  field,
  sort,
  sortable,
  onSort,
}: {
  field: FieldModel;
  sort: string;
  sortable: string;
  onSort: (sort: string) => void;
}) {
  const direction = !sortable
    ? undefined
    : sort === sortable
      ? 'ascending'
      : sort === `-${sortable}`
        ? 'descending'
        : undefined;
  const inside = (
    <>
      <FieldIcon type={field.type} name={field.name} />
      <span className="truncate">{field.name}</span>
      {direction === 'descending' ? (
        <IconArrowDown size={13} aria-hidden />
      ) : direction ? (
        <IconArrowUp size={13} aria-hidden />
      ) : null}
    </>
  );
  return (
    <th scope="col" aria-sort={sortable ? (direction ?? 'none') : undefined} title={field.help || field.name}>
      {sortable ? (
        <button type="button" className={classes.headButton} onClick={() => onSort(nextSort(sort, sortable))}>
          {inside}
        </button>
      ) : (
        <span className={classes.headPlain}>{inside}</span>
      )}
    </th>
  );
});

/** The records as a table of which only the rows in sight are in the document (OPS-203). */
export function RecordTable({
  collection,
  columns,
  records,
  sort,
  query,
  onSort,
  onOpen,
  selection,
  changed,
  ownId,
  footer,
  outdated,
}: RecordTableProps) {
  const collections = useCollections().data ?? NONE;
  const scroller = useRef<HTMLDivElement>(null);
  const overscan = useOverscan();
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan,
    // Before it has been measured: so that rows are part of what is drawn first.
    observeElementRect: observeHeight,
    // All rows are equally high: there is never an offset to correct, and to set one lays out the page once more.
    scrollToFn: () => undefined,
    initialRect: { width: 0, height: Math.max(0, window.innerHeight - 190) },
  });
  useEffect(() => {
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [query]);
  const items = rows.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  // The own account is marked beside its id.
  const widths = columns.map((field) => widthOf(field) + (ownId && field.name === 'id' ? 36 : 0));
  const width = widths.reduce((sum, each) => sum + each, 42);
  const allSelected = records.length > 0 && records.every((record) => selection.selected.has(record.id));

  // One listener for all rows: they are drawn again only when they have changed.
  const click = (event: MouseEvent) => {
    const target = event.target as Element;
    const id = target.closest('tr')?.dataset.id;
    if (!id) return;
    if (!target.closest(`.${classes.tick}`)) onOpen(id);
    // The whole cell ticks, so that a finger that misses the box does. Shift is only known to the click.
    else selection.toggle(id, event.shiftKey);
  };
  const press = (event: KeyboardEvent) => {
    const row = event.target;
    if (!(row instanceof HTMLTableRowElement) || !row.dataset.id) return;
    const { key } = event;
    if (key !== 'Enter' && key !== ' ' && key !== 'ArrowDown' && key !== 'ArrowUp') return;
    event.preventDefault();
    if (key === 'ArrowDown') (row.nextElementSibling as HTMLElement | null)?.focus();
    else if (key === 'ArrowUp') (row.previousElementSibling as HTMLElement | null)?.focus();
    else onOpen(row.dataset.id);
  };
  return (
    <div className={classes.scroller} ref={scroller} tabIndex={-1} data-outdated={outdated || undefined}>
      <table
        className={classes.table}
        style={{ minWidth: width }}
        aria-busy={outdated}
        aria-rowcount={records.length + 1}
        aria-label={`Records of ${collection.name}`}
      >
        <colgroup>
          <col style={{ width: 42 }} />
          {columns.map((field, index) => (
            <col key={field.id} style={index === columns.length - 1 ? undefined : { width: widths[index] }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <td className={classes.tick}>
              <Tick
                label="Select all loaded records"
                checked={allSelected}
                some={!allSelected && selection.selected.size > 0}
                onTick={() => (allSelected ? selection.clear() : selection.setAll(records.map(({ id }) => id)))}
              />
            </td>
            {columns.map((field) => (
              <HeaderCell
                key={field.id}
                field={field}
                sort={sort}
                sortable={sortKey(field, collections)}
                onSort={onSort}
              />
            ))}
          </tr>
        </thead>
        <tbody onClick={click} onKeyDown={press}>
          {before > 0 ? (
            <tr aria-hidden style={{ height: before }}>
              <td colSpan={columns.length + 1} />
            </tr>
          ) : null}
          {items.map((item) => {
            const record = records[item.index]!;
            return (
              <RecordRow
                key={record.id}
                record={record}
                columns={columns}
                collections={collections}
                index={item.index}
                selected={selection.selected.has(record.id)}
                changed={changed.has(record.id)}
                own={record.id === ownId}
              />
            );
          })}
          {after > 0 ? (
            <tr aria-hidden style={{ height: after }}>
              <td colSpan={columns.length + 1} />
            </tr>
          ) : null}
        </tbody>
      </table>
      {footer}
    </div>
  );
}
