import { useMemo } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { useStored } from '../app/use-stored.js';
import {
  inOrder,
  isShown,
  moved,
  pinToggled,
  resized,
  stickyCount,
  toggled,
  type ColumnChoice,
} from './column-layout.js';

/** What can be done with the columns of a list. */
export interface Columns {
  /** All fields that can be shown, in the order of the columns. */
  readonly available: readonly FieldModel[];
  readonly shown: ReadonlySet<string>;
  readonly columns: readonly FieldModel[];
  /** How many of them stay in sight. */
  readonly sticky: number;
  readonly pinned: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
  toggle(name: string): void;
  pin(name: string): void;
  /** Moves a column before or after another. */
  move(name: string, target: string, isAfter: boolean): void;
  resize(name: string, width: number | undefined): void;
}

const NO_WIDTHS = {};
const NO_PINS: readonly string[] = [];

/** The columns of a record list, remembered per collection. Hidden fields are off until switched on. */
export function useColumns(collection: CollectionModel): Columns {
  const [choice, setChoice] = useStored<ColumnChoice>(`roost_columns_${collection.id}`, { hide: [], show: [] });
  const fields = useMemo(() => {
    const shownAtAll = collection.fields.filter(
      (field) => field.type !== 'password' && !(collection.type === 'auth' && field.name === 'tokenKey'),
    );
    // The id first, dates last, whatever the order of the definition.
    const rank = (field: FieldModel) => (field.name === 'id' ? 0 : field.type === 'autodate' ? 2 : 1);
    return [...shownAtAll].sort((a, b) => rank(a) - rank(b));
  }, [collection]);
  return useMemo(() => {
    const available = inOrder(fields, choice);
    const columns = available.filter((field) => isShown(field, choice));
    const shown = new Set(columns.map(({ name }) => name));
    return {
      available,
      shown,
      columns,
      sticky: stickyCount(columns, choice),
      pinned: choice.pinned ?? NO_PINS,
      widths: choice.widths ?? NO_WIDTHS,
      toggle: (name) => setChoice((current) => toggled(current, name, shown.has(name))),
      pin: (name) => setChoice((current) => pinToggled(current, name)),
      move: (name, target, isAfter) => setChoice((current) => moved(current, fields, name, target, isAfter)),
      resize: (name, width) => setChoice((current) => resized(current, name, width)),
    };
  }, [fields, choice, setChoice]);
}
