import { Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { RecordModel } from 'pocketbase';
import { useRef, type MouseEvent, type ReactNode } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { useCollections } from '../api/queries.js';
import type { RangeSelection } from '../design/use-range-selection.js';
import { FieldIcon } from '../fields/field-icon.js';
import { RecordCell } from './record-cell.js';
import { sortKey } from './record-query.js';
import classes from './records.module.css';

interface RecordTableProps {
  readonly collection: CollectionModel;
  readonly columns: readonly FieldModel[];
  readonly records: readonly RecordModel[];
  readonly sort: string;
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

/** The next order when a header is clicked: descending, ascending, none. */
function nextSort(current: string, key: string): string {
  if (current === `-${key}`) return key;
  return current === key ? '' : `-${key}`;
}

function HeaderCell({
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
}

/** The records as a table of which only the rows in sight are in the document (OPS-203). */
export function RecordTable({
  collection,
  columns,
  records,
  sort,
  onSort,
  onOpen,
  selection,
  changed,
  ownId,
  footer,
  outdated,
}: RecordTableProps) {
  const { data: collections = [] } = useCollections();
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const items = rows.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = rows.getTotalSize() - (items.at(-1)?.end ?? 0);
  const width = columns.reduce((sum, field) => sum + widthOf(field), 42);
  const allSelected = records.length > 0 && records.every((record) => selection.selected.has(record.id));

  const tick = (event: MouseEvent, id: string) => {
    event.stopPropagation();
    // The checkbox is controlled: Shift is only known to the click.
    selection.toggle(id, event.shiftKey);
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
            <col key={field.id} style={index === columns.length - 1 ? undefined : { width: widthOf(field) }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <td className={classes.tick}>
              <Checkbox
                aria-label="Select all loaded records"
                checked={allSelected}
                indeterminate={!allSelected && selection.selected.size > 0}
                onChange={() =>
                  allSelected ? selection.clear() : selection.setAll(records.map((record) => record.id))
                }
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
        <tbody>
          {before > 0 ? (
            <tr aria-hidden style={{ height: before }}>
              <td colSpan={columns.length + 1} />
            </tr>
          ) : null}
          {items.map((item) => {
            const record = records[item.index]!;
            return (
              <tr
                key={record.id}
                aria-rowindex={item.index + 2}
                data-id={record.id}
                data-selected={selection.selected.has(record.id) || undefined}
                data-changed={changed.has(record.id) || undefined}
                className={classes.row}
                tabIndex={0}
                onClick={() => onOpen(record.id)}
                onKeyDown={(event) => {
                  if (event.target !== event.currentTarget) return;
                  if (event.key === 'Enter' || event.key === ' ') {
                    event.preventDefault();
                    onOpen(record.id);
                  }
                  const other =
                    event.key === 'ArrowDown'
                      ? 'nextElementSibling'
                      : event.key === 'ArrowUp'
                        ? 'previousElementSibling'
                        : null;
                  if (other) {
                    event.preventDefault();
                    (event.currentTarget[other] as HTMLElement | null)?.focus();
                  }
                }}
              >
                <td className={classes.tick} onClick={(event) => event.stopPropagation()}>
                  <Checkbox
                    aria-label={`Select record ${record.id}`}
                    checked={selection.selected.has(record.id)}
                    readOnly
                    onClick={(event) => tick(event, record.id)}
                  />
                </td>
                {columns.map((field) => (
                  <td key={field.id}>
                    <div className={classes.cell}>
                      <RecordCell record={record} field={field} />
                      {field.name === 'id' && record.id === ownId ? <span className={classes.own}>You</span> : null}
                    </div>
                  </td>
                ))}
              </tr>
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
