import { IconArrowDown, IconArrowUp, IconChevronDown, IconPinFilled } from '@tabler/icons-react';
import { memo, useRef, type DragEvent, type KeyboardEvent, type PointerEvent } from 'react';
import type { FieldModel } from '../api/collection-model.js';
import { IconButton } from '../design/icon-button.js';
import { MenuOnDemand } from '../design/menu-on-demand.js';
import { FieldIcon } from '../fields/field-icon.js';
import { stickyStyle } from './record-row.js';
import classes from './records.module.css';
import type { Columns } from './use-columns.js';

const loadHeaderMenu = async () => (await import('./header-menu.js')).HeaderMenu;

const DRAGGED = 'application/x-roost-column';
const STEP = 16;

/** The next order when a header is clicked: descending, ascending, none. */
function nextSort(current: string, key: string): string {
  if (current === `-${key}`) return key;
  return current === key ? '' : `-${key}`;
}

interface HeaderCellProps {
  readonly field: FieldModel;
  readonly sort: string;
  /** The key of its order; '' when it has none. */
  readonly sortable: string;
  readonly onSort: (sort: string) => void;
  /** Where it stays in sight. */
  readonly offset: number | undefined;
  readonly width: number;
  readonly isPinned: boolean;
  readonly previous: string | undefined;
  readonly next: string | undefined;
  readonly onMove: Columns['move'];
  readonly onPin: Columns['pin'];
  readonly onHide: Columns['toggle'];
  readonly onResize: Columns['resize'];
}

/**
 * The head of a column: a click sorts, its edge resizes, dragging it moves the column. By keyboard Shift and the arrows
 * resize, Alt and the arrows move; the menu has the rest (UI-72).
 */
export const HeaderCell = memo(function HeaderCell(props: HeaderCellProps) {
  const { field, sort, sortable, onSort, offset, width, isPinned, previous, next, onMove, onPin, onHide, onResize } =
    props;
  const { name } = field;
  const cell = useRef<HTMLTableCellElement>(null);
  const isResizing = useRef(false);
  const direction = !sortable
    ? undefined
    : sort === sortable
      ? 'ascending'
      : sort === `-${sortable}`
        ? 'descending'
        : undefined;
  const moveBy = (isForward: boolean) => {
    const target = isForward ? next : previous;
    if (target !== undefined) onMove(name, target, isForward);
  };
  const press = (event: KeyboardEvent) => {
    const isForward = event.key === 'ArrowRight';
    if ((!isForward && event.key !== 'ArrowLeft') || event.altKey === event.shiftKey) return;
    event.preventDefault();
    if (event.altKey) moveBy(isForward);
    else onResize(name, width + (isForward ? STEP : -STEP));
  };
  const resize = (event: PointerEvent<HTMLSpanElement>) => {
    const handle = event.currentTarget;
    const head = cell.current!;
    const column = head.closest('table')!.querySelector('colgroup')!.children[head.cellIndex] as HTMLElement;
    const start = event.clientX - head.offsetWidth;
    let wanted: number | undefined;
    isResizing.current = true;
    handle.setPointerCapture(event.pointerId);
    // Only the column follows the pointer; the rows are drawn once it is let go.
    const follow = (moved: globalThis.PointerEvent) => {
      wanted = Math.max(STEP, moved.clientX - start);
      column.style.width = `${wanted}px`;
    };
    handle.addEventListener('pointermove', follow);
    const end = () => {
      handle.removeEventListener('pointermove', follow);
      isResizing.current = false;
      if (wanted !== undefined) onResize(name, wanted);
    };
    handle.addEventListener('lostpointercapture', end, { once: true });
  };
  const drop = (event: DragEvent) => {
    const dragged = event.dataTransfer.getData(DRAGGED);
    cell.current!.removeAttribute('data-over');
    if (!dragged) return;
    event.preventDefault();
    const { left, width: wide } = cell.current!.getBoundingClientRect();
    onMove(dragged, name, event.clientX > left + wide / 2);
  };
  const inside = (
    <>
      <FieldIcon type={field.type} name={name} />
      <span className="truncate">{name}</span>
      {isPinned ? <IconPinFilled size={11} role="img" aria-label="pinned" /> : null}
      {direction === 'descending' ? (
        <IconArrowDown size={13} aria-hidden />
      ) : direction ? (
        <IconArrowUp size={13} aria-hidden />
      ) : null}
    </>
  );
  return (
    <th
      ref={cell}
      scope="col"
      aria-sort={sortable ? (direction ?? 'none') : undefined}
      title={field.help || name}
      data-sticky={offset === undefined ? undefined : true}
      style={stickyStyle(offset)}
      // What cannot be sorted has no button for the keys.
      tabIndex={sortable ? undefined : 0}
      onKeyDown={press}
      draggable
      onDragStart={(event) => {
        if (isResizing.current) event.preventDefault();
        else event.dataTransfer.setData(DRAGGED, name);
      }}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        cell.current!.setAttribute('data-over', '');
      }}
      onDragLeave={() => cell.current!.removeAttribute('data-over')}
      onDrop={drop}
      onContextMenu={(event) => {
        event.preventDefault();
        cell.current!.querySelector<HTMLElement>('[data-column-menu]')?.click();
      }}
    >
      {sortable ? (
        <button type="button" className={classes.headButton} onClick={() => onSort(nextSort(sort, sortable))}>
          {inside}
        </button>
      ) : (
        <span className={classes.headPlain}>{inside}</span>
      )}
      <MenuOnDemand
        load={loadHeaderMenu}
        options={{
          name,
          isPinned,
          onMoveLeft: previous === undefined ? undefined : () => moveBy(false),
          onMoveRight: next === undefined ? undefined : () => moveBy(true),
          onPin: () => onPin(name),
          onHide: () => onHide(name),
          onReset: () => onResize(name, undefined),
        }}
      >
        <IconButton size={22} className={classes.headMenu} data-column-menu tabIndex={-1} aria-label={`Column ${name}`}>
          <IconChevronDown size={13} />
        </IconButton>
      </MenuOnDemand>
      <span
        className={classes.resizer}
        aria-hidden
        onPointerDown={resize}
        onDoubleClick={() => onResize(name, undefined)}
      />
    </th>
  );
});
