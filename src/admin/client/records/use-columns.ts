import { useMemo, useState } from 'react';
import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { useStored, type SetStored } from '../app/use-stored.js';
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
  readonly choice: ColumnChoice;
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

/** The columns that come with a view of the list; what is changed of them is its own. */
export interface GivenColumns {
  readonly id: string;
  readonly choice: ColumnChoice;
}

/**
 * The columns of a record list, remembered per collection unless a view brings its own. Hidden fields are off until
 * switched on.
 */
export function useColumns(collection: CollectionModel, given?: GivenColumns): Columns {
  const [stored, setStored] = useStored<ColumnChoice>(`roost_columns_${collection.id}`, { hide: [], show: [] });
  const [changed, setChanged] = useState<GivenColumns>();
  const ofView = changed?.id === given?.id ? changed?.choice : given?.choice;
  const choice = given ? (ofView ?? given.choice) : stored;
  const setChoice = useMemo<SetStored<ColumnChoice>>(
    () =>
      given
        ? (next) =>
            setChanged((before) => {
              const current = before?.id === given.id ? before.choice : given.choice;
              return { id: given.id, choice: typeof next === 'function' ? next(current) : next };
            })
        : setStored,
    [given, setStored],
  );
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
      choice,
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
