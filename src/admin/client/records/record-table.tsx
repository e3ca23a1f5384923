import { useVirtualizer, type Rect, type Virtualizer } from '@tanstack/react-virtual';
import type { RecordModel } from 'pocketbase';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import { Tick } from '../design/tick.js';
import type { RangeSelection } from '../design/use-range-selection.js';
import { isEditedInPlace, nextCell, type CellPlace, type PendingCell } from './cell-edits.js';
import { HeaderCell } from './header-cell.js';
import { sortKey } from './record-query.js';
import { fetchCellEditor, RecordRow, type LeaveCell } from './record-row.js';
import classes from './records.module.css';
import type { CellEditing } from './use-cell-edits.js';
import type { Columns } from './use-columns.js';

interface RecordTableProps {
  readonly collection: CollectionModel;
  readonly columns: Columns;
  readonly records: readonly RecordModel[];
  readonly sort: string;
  /** What the list shows: when it changes, it begins at the top. */
  readonly query: string;
  readonly onSort: (sort: string) => void;
  readonly onOpen: (id: string) => void;
  readonly onFile: (file: { record: RecordModel; name: string; names: readonly string[] }) => void;
  readonly editing: CellEditing;
  /** Nothing can be edited in its cell. */
  readonly locked: boolean;
  readonly selection: RangeSelection;
  /** Ids whose rows glow because they have just changed. */
  readonly changed: ReadonlySet<string>;
  readonly ownId?: string;
  readonly footer?: ReactNode;
  /** The rows are those of the search or order before. */
  readonly outdated?: boolean;
}

const ROW = 38;
const TICK = 42;
/** Milliseconds in which a second click makes a double one, which edits the cell instead of opening the record. */
const DOUBLE_CLICK = 220;
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

/** Always true, as what a key has done. */
function focus(element: Element | null | undefined): true {
  // Only now: a finger beside the box of a row would be taken to mean the next cell, if that could have the focus.
  if (element instanceof HTMLTableCellElement) element.tabIndex = -1;
  (element as HTMLElement | null | undefined)?.focus();
  return true;
}

/**
 * The records as a table of which only the rows in sight are in the document (OPS-203), edited in its cells (UI-72).
 */
export function RecordTable({
  collection,
  columns: { columns, sticky, pinned, widths: chosen, toggle, pin, move, resize },
  records,
  sort,
  query,
  onSort,
  onOpen,
  onFile,
  editing,
  locked,
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
  const widths = columns.map((field) => chosen[field.name] ?? widthOf(field) + (ownId && field.name === 'id' ? 36 : 0));
  const width = widths.reduce((sum, each) => sum + each, TICK);
  const stickyWidths = widths.slice(0, sticky).join();
  const offsets = useMemo(() => {
    let left = TICK;
    return stickyWidths.split(',').map((each) => (left += Number(each)) - Number(each));
  }, [stickyWidths]);
  const allSelected = records.length > 0 && records.every((record) => selection.selected.has(record.id));

  const { edits, tell, save } = editing;
  const canEdit = useCallback(
    (name: string | undefined) =>
      !locked && columns.some((field) => field.name === name && isEditedInPlace(field, collection)),
    [locked, columns, collection],
  );
  const pendingById = useMemo(() => {
    const byId = new Map<string, PendingCell[]>();
    for (const cell of edits.pending) byId.set(cell.id, [...(byId.get(cell.id) ?? []), cell]);
    return byId;
  }, [edits.pending]);
  const latest = useRef({ edits, columns, records });
  latest.current = { edits, columns, records };
  const wantsFocus = useRef<CellPlace>(undefined);
  useLayoutEffect(() => {
    const place = wantsFocus.current;
    if (!place || edits.open) return;
    wantsFocus.current = undefined;
    const row = scroller.current?.querySelector(`tr[data-id="${CSS.escape(place.id)}"]`);
    focus(row?.querySelector(`td[data-name="${CSS.escape(place.name)}"]`));
  });
  const onLeave = useCallback<LeaveCell>(
    (exit, change) => {
      const { edits: now, columns: all, records: loaded } = latest.current;
      if (!now.open) return;
      if (change) save(now.open, change.value);
      // A dialog that opens under the key that goes on would be in the way.
      const names = all.filter((each) => each.type !== 'relation' && canEdit(each.name)).map(({ name }) => name);
      const ids = loaded.map(({ id }) => id);
      const next = exit === 'stay' || exit === 'away' ? undefined : nextCell(now.open, ids, names, exit === 'previous');
      if (next) tell({ kind: 'open', place: next });
      else tell({ kind: change ? 'close' : 'leave' });
      if (exit !== 'away' && !next) wantsFocus.current = now.open;
    },
    [save, tell, canEdit],
  );

  // One listener for all rows: they are drawn again only when they have changed.
  const opening = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(opening.current), []);
  const click = (event: MouseEvent) => {
    const target = event.target as Element;
    const row = target.closest('tr');
    const id = row?.dataset.id;
    // What was clicked in a dialog that a cell has opened comes here too.
    if (!id || !row.contains(target)) return;
    if (target.closest(`.${classes.tick}`)) {
      // The whole cell ticks, so that a finger that misses the box does. Shift is only known to the click.
      selection.toggle(id, event.shiftKey);
      return;
    }
    const cell = target.closest('td');
    if (!cell || cell.dataset.editing) return;
    const file = target.closest<HTMLElement>('[data-file]')?.dataset.file;
    const record = records.find((each) => each.id === id);
    if (file !== undefined && record) {
      const names = [record[cell.dataset.name!] as string | string[]].flat().filter(Boolean);
      onFile({ record, name: file, names });
      return;
    }
    clearTimeout(opening.current);
    const isMouse = (event.nativeEvent as PointerEvent).pointerType === 'mouse';
    if (!isMouse || !canEdit(cell.dataset.name)) onOpen(id);
    else if (event.detail < 2) opening.current = setTimeout(() => onOpen(id), DOUBLE_CLICK);
  };
  const edit = (cell: HTMLElement | null) => {
    const id = cell?.closest('tr')?.dataset.id;
    const name = cell?.dataset.name;
    if (!id || !name || !canEdit(name)) return false;
    tell({ kind: 'open', place: { id, name } });
    return true;
  };
  const doubleClick = (event: MouseEvent) => {
    const cell = (event.target as Element).closest('td');
    if (!cell || cell.dataset.editing) return;
    clearTimeout(opening.current);
    if (edit(cell)) window.getSelection()?.removeAllRanges();
  };
  const press = (event: KeyboardEvent) => {
    const target = event.target;
    const done =
      target instanceof HTMLTableRowElement && target.dataset.id
        ? pressRow(event.key, target)
        : target instanceof HTMLTableCellElement && target.dataset.name
          ? pressCell(event.key, target)
          : false;
    if (done) event.preventDefault();
  };
  const pressRow = (key: string, row: HTMLTableRowElement) => {
    const cells = [...row.querySelectorAll<HTMLElement>('td[data-name]')];
    switch (key) {
      case 'ArrowDown':
        return focus(row.nextElementSibling);
      case 'ArrowUp':
        return focus(row.previousElementSibling);
      case 'ArrowRight':
        return focus(cells[0]);
      case 'F2':
        return edit(cells.find((each) => canEdit(each.dataset.name)) ?? null);
      case 'Enter':
      case ' ':
        onOpen(row.dataset.id!);
        return true;
      default:
        return false;
    }
  };
  const pressCell = (key: string, cell: HTMLTableCellElement) => {
    const row = cell.closest('tr')!;
    const beside = (other: Element | null) => (other as HTMLTableRowElement | null)?.cells?.[cell.cellIndex];
    switch (key) {
      case 'ArrowRight':
        return focus(cell.nextElementSibling);
      case 'ArrowLeft':
        return focus(cell.cellIndex > 1 ? cell.previousElementSibling : row);
      case 'ArrowDown':
        return focus(beside(row.nextElementSibling));
      case 'ArrowUp':
        return focus(beside(row.previousElementSibling));
      case 'Home':
        return focus(row.cells[1]);
      case 'End':
        return focus(row.cells[row.cells.length - 1]);
      case 'Escape':
        return focus(row);
      case 'F2':
        return edit(cell);
      case 'Enter':
        if (!edit(cell)) onOpen(row.dataset.id!);
        return true;
      default:
        return false;
    }
  };
  return (
    <div
      className={classes.scroller}
      ref={scroller}
      tabIndex={-1}
      data-outdated={outdated || undefined}
      // What has the focus is not hidden below what stays in sight.
      style={{ scrollPaddingLeft: offsets.at(-1)! + widths[sticky - 1]! }}
    >
      <table
        role="grid"
        className={classes.table}
        style={{ minWidth: width }}
        aria-busy={outdated}
        aria-rowcount={records.length + 1}
        aria-label={`Records of ${collection.name}`}
      >
        <colgroup>
          <col style={{ width: TICK }} />
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
            {columns.map((field, index) => (
              <HeaderCell
                key={field.id}
                field={field}
                sort={sort}
                sortable={sortKey(field, collections)}
                onSort={onSort}
                offset={offsets[index]}
                width={widths[index]!}
                isPinned={pinned.includes(field.name)}
                previous={columns[index - 1]?.name}
                next={columns[index + 1]?.name}
                onMove={move}
                onPin={pin}
                onHide={toggle}
                onResize={resize}
              />
            ))}
          </tr>
        </thead>
        <tbody
          onClick={click}
          onDoubleClick={doubleClick}
          onKeyDown={press}
          onPointerEnter={locked ? undefined : fetchCellEditor}
          onFocus={locked ? undefined : fetchCellEditor}
        >
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
                collection={collection}
                columns={columns}
                collections={collections}
                offsets={offsets}
                index={item.index}
                selected={selection.selected.has(record.id)}
                changed={changed.has(record.id)}
                own={record.id === ownId}
                open={edits.open?.id === record.id ? edits.open.name : undefined}
                pending={pendingById.get(record.id)}
                onLeave={onLeave}
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
