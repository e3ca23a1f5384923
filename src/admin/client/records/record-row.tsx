import { IconAlertCircle } from '@tabler/icons-react';
import type { RecordModel } from 'pocketbase';
import { lazy, memo, Suspense, type CSSProperties } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { Tick } from '../design/tick.js';
import type { PendingCell } from './cell-edits.js';
import type { CellEditorProps, CellExit } from './cell-editor.js';
import { RecordCell } from './record-cell.js';
import classes from './records.module.css';

const load = async () => ({ default: (await import('./cell-editor.js')).CellEditor });
const CellEditor = lazy(load);

/** Fetches what edits a cell, before its keys would go elsewhere. */
export const fetchCellEditor = (): void => void load().catch(() => undefined);

/** What is done with the cell of a row that is being edited. */
export type LeaveCell = (exit: CellExit, change?: { readonly value: unknown }) => void;

interface RecordRowProps {
  readonly record: RecordModel;
  readonly collection: CollectionModel;
  readonly columns: readonly FieldModel[];
  readonly collections: readonly CollectionModel[];
  /** Where columns that stay in sight begin, by their index. */
  readonly offsets: readonly number[];
  readonly index: number;
  readonly selected: boolean;
  readonly changed: boolean;
  /** It is the account that is signed in. */
  readonly own: boolean;
  /** The field that is edited in this row. */
  readonly open?: string;
  /** What was typed in this row and is not stored. */
  readonly pending?: readonly PendingCell[];
  readonly onLeave: LeaveCell;
}

export function stickyStyle(offset: number | undefined): CSSProperties | undefined {
  return offset === undefined ? undefined : { left: offset };
}

function Edited(props: CellEditorProps) {
  return (
    <Suspense fallback={<RecordCell record={props.record} field={props.field} collections={[]} />}>
      <CellEditor {...props} />
    </Suspense>
  );
}

/**
 * One record in the table, drawn again only when it has changed. What is done with it comes to the table: it knows the
 * row by `data-id` and the cell by `data-name`.
 */
export const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { record, collection, columns, collections, offsets, index, selected, changed, own, open, onLeave } = props;
  return (
    <tr
      aria-rowindex={index + 2}
      data-id={record.id}
      data-selected={selected || undefined}
      data-changed={changed || undefined}
      className={classes.row}
      tabIndex={0}
    >
      <td className={classes.tick}>
        <Tick label={`Select record ${record.id}`} checked={selected} />
      </td>
      {columns.map((field, at) => {
        const pending = props.pending?.find(({ name }) => name === field.name);
        return (
          <td
            key={field.id}
            data-name={field.name}
            data-sticky={at < offsets.length || undefined}
            data-editing={open === field.name || undefined}
            data-pending={pending ? (pending.error ? 'failed' : 'saving') : undefined}
            style={stickyStyle(offsets[at])}
          >
            {open === field.name ? (
              <Edited collection={collection} record={record} field={field} pending={pending} onDone={onLeave} />
            ) : (
              <RecordCell
                record={pending ? { ...record, [field.name]: pending.value } : record}
                field={field}
                collections={collections}
                opensFiles
              />
            )}
            {pending?.error ? (
              <span className={classes.cellError} role="alert" data-tip={pending.error}>
                <IconAlertCircle size={14} aria-hidden />
                <span className={classes.cellErrorText}>{pending.error}</span>
              </span>
            ) : null}
            {own && field.name === 'id' ? <span className={classes.own}>You</span> : null}
          </td>
        );
      })}
    </tr>
  );
});
