import { isMultiple, type CollectionModel, type FieldModel } from '../api/collection-model.js';

/** One value of one record in the list. */
export interface CellPlace {
  readonly id: string;
  readonly name: string;
}

/** What was typed into a cell and is not stored, yet or at all. */
export interface PendingCell extends CellPlace {
  readonly value: unknown;
  /** Why it could not be saved; absent while it is tried. */
  readonly error?: string;
}

export interface CellEdits {
  /** The cell that is being edited. */
  readonly open?: CellPlace;
  readonly pending: readonly PendingCell[];
}

export type CellEvent =
  | { readonly kind: 'open'; readonly place: CellPlace }
  /** Without saving; what had failed there is given up. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'close' }
  | { readonly kind: 'save'; readonly cell: PendingCell }
  | { readonly kind: 'saved'; readonly cell: PendingCell }
  | { readonly kind: 'failed'; readonly cell: PendingCell; readonly error: string };

export const NO_EDITS: CellEdits = { pending: [] };

export function isAt(a: CellPlace | undefined, b: CellPlace): boolean {
  return a?.id === b.id && a.name === b.name;
}

/** The edits of a list after something has happened to one. What is told of an older value of a cell is not heard. */
export function cellEdits(state: CellEdits, event: CellEvent): CellEdits {
  const without = (place: CellPlace) => state.pending.filter((each) => !isAt(each, place));
  switch (event.kind) {
    case 'open':
      return { ...state, open: event.place };
    case 'close':
      return { pending: state.pending };
    case 'leave':
      return { pending: state.open ? without(state.open) : state.pending };
    case 'save':
      return { ...state, pending: [...without(event.cell), event.cell] };
    case 'saved':
      return { ...state, pending: state.pending.filter((each) => each !== event.cell) };
    case 'failed':
      return {
        ...state,
        pending: state.pending.map((each) => (each === event.cell ? { ...each, error: event.error } : each)),
      };
  }
}

const IN_PLACE = new Set(['text', 'email', 'url', 'number', 'bool', 'date', 'select', 'json', 'relation']);

/** Whether a value can be edited in its cell; the others need the room of the record's panel. */
export function isEditedInPlace(field: FieldModel, collection: CollectionModel): boolean {
  if (collection.type === 'view' || field.name === 'id' || field.primaryKey) return false;
  return IN_PLACE.has(field.type) && !(field.type === 'select' && isMultiple(field));
}

/** The next cell to edit, in the row and then in the rows after it; undefined at the end of what is loaded. */
export function nextCell(
  place: CellPlace,
  ids: readonly string[],
  names: readonly string[],
  isBackwards: boolean,
): CellPlace | undefined {
  const step = isBackwards ? -1 : 1;
  const at = ids.indexOf(place.id) * names.length + names.indexOf(place.name) + step;
  if (!ids.includes(place.id) || !names.length || at < 0 || at >= ids.length * names.length) return undefined;
  return { id: ids[Math.floor(at / names.length)]!, name: names[at % names.length]! };
}

/** What a text that was typed stands for. What is no number goes to the server as it is, which says so. */
export function typedValue(text: string, field: FieldModel): unknown {
  if (field.type === 'bool') return text === 'true';
  if (field.type !== 'number') return text;
  const number = Number(text);
  return text.trim() === '' ? '' : Number.isFinite(number) ? number : text;
}
