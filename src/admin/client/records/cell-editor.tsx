import type { RecordModel } from 'pocketbase';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { isMultiple, type CollectionModel, type FieldModel } from '../api/collection-model.js';
import { useCollection } from '../api/queries.js';
import { RecordPicker } from '../fields/record-picker.js';
import { typedValue, type PendingCell } from './cell-edits.js';
import { formOf, sameValue } from './record-form.js';
import classes from './records.module.css';

/** Where it goes after a cell was left. */
export type CellExit = 'stay' | 'next' | 'previous' | 'away';

export interface CellEditorProps {
  readonly collection: CollectionModel;
  readonly record: RecordModel;
  readonly field: FieldModel;
  /** What was typed before and could not be saved. */
  readonly pending?: PendingCell;
  /** Absent where nothing is to be saved. */
  readonly onDone: (exit: CellExit, change?: { readonly value: unknown }) => void;
}

/** One value of a record, edited in its cell (UI-72). */
export function CellEditor(props: CellEditorProps) {
  return props.field.type === 'relation' ? <RelationEditor {...props} /> : <TypedEditor {...props} />;
}

function RelationEditor({ record, field, onDone }: CellEditorProps) {
  const target = useCollection(field.collectionId as string);
  const many = isMultiple(field);
  const selected = [record[field.name] as string | string[]].flat().filter(Boolean);
  useEffect(() => {
    if (!target) onDone('stay');
    // It is known from the start or not at all.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return target ? (
    <RecordPicker
      collection={target}
      max={many ? Number(field.maxSelect) : 1}
      selected={selected}
      onClose={() => onDone('stay')}
      onPick={(ids) => {
        const isSame = sameValue(ids, selected);
        onDone('stay', isSame ? undefined : { value: many ? ids : (ids.at(-1) ?? '') });
      }}
    />
  ) : null;
}

function TypedEditor({ collection, record, field, pending, onDone }: CellEditorProps) {
  const stored = formOf(record, { ...collection, fields: [field] })[field.name];
  const [text, setText] = useState(String((pending ? pending.value : stored) ?? ''));
  const input = useRef<HTMLTextAreaElement | HTMLInputElement | HTMLSelectElement>(null);
  const finished = useRef(false);
  useEffect(() => {
    input.current?.focus();
    if (!(input.current instanceof HTMLSelectElement)) input.current?.select();
  }, []);
  const finish = (exit: CellExit, isKept: boolean) => {
    if (finished.current) return;
    finished.current = true;
    const value = typedValue(text, field);
    const isChanged = isKept && (!sameValue(value, stored) || pending !== undefined);
    onDone(exit, isChanged ? { value } : undefined);
  };
  // A row that scrolls out of sight takes its editor along.
  const leave = useRef(finish);
  leave.current = finish;
  useEffect(() => () => leave.current('away', true), []);
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    const exit =
      event.key === 'Enter' && !event.shiftKey
        ? 'stay'
        : event.key === 'Tab'
          ? event.shiftKey
            ? 'previous'
            : 'next'
          : event.key === 'Escape'
            ? 'stay'
            : undefined;
    if (!exit) return;
    event.preventDefault();
    finish(exit, event.key !== 'Escape');
  };
  const common = {
    ref: (element: HTMLTextAreaElement | HTMLInputElement | HTMLSelectElement | null) => {
      input.current = element;
    },
    className: classes.cellInput,
    'aria-label': `${field.name} of ${record.id}`,
    'aria-invalid': pending?.error ? true : undefined,
    value: text,
    onKeyDown: press,
    onChange: (event: { currentTarget: { value: string } }) => setText(event.currentTarget.value),
    onBlur: () => finish('away', true),
    // Keys of the page would be taken for what is typed, and the other way round.
    'data-mantine-stop-propagation': true,
  };
  if (field.type === 'bool') {
    return (
      <select {...common}>
        <option value="false">False</option>
        <option value="true">True</option>
      </select>
    );
  }
  if (field.type === 'select') {
    const offered = (field.values as string[] | null) ?? [];
    return (
      <select {...common}>
        <option value="">–</option>
        {[...new Set([...offered, text].filter(Boolean))].map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    );
  }
  // Texts may have lines, which an input would drop.
  return field.type === 'text' || field.type === 'json' ? (
    <textarea {...common} dir="auto" rows={Math.min(8, text.split('\n').length)} />
  ) : (
    <input {...common} dir="auto" inputMode={field.type === 'number' ? 'decimal' : undefined} />
  );
}
