import type { RecordModel } from 'pocketbase';
import { memo } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { Tick } from '../design/tick.js';
import { RecordCell } from './record-cell.js';
import classes from './records.module.css';

interface RecordRowProps {
  readonly record: RecordModel;
  readonly columns: readonly FieldModel[];
  readonly collections: readonly CollectionModel[];
  readonly index: number;
  readonly selected: boolean;
  readonly changed: boolean;
  /** It is the account that is signed in. */
  readonly own: boolean;
}

/**
 * One record in the table, drawn again only when it has changed. What is done with it comes to the table: it knows the
 * row by `data-id`.
 */
export const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { record, columns, collections, index, selected, changed, own } = props;
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
      {columns.map((field) => (
        <td key={field.id}>
          <RecordCell record={record} field={field} collections={collections} />
          {own && field.name === 'id' ? <span className={classes.own}>You</span> : null}
        </td>
      ))}
    </tr>
  );
});
