import type { FieldModel } from '../api/collection-model.js';

/** How somebody wants to see the columns of a list. Of what is not named the list itself decides. */
export interface ColumnChoice {
  readonly hide: readonly string[];
  readonly show: readonly string[];
  /** Names in the order that was chosen; fields made later come after them. */
  readonly order?: readonly string[];
  readonly widths?: Readonly<Record<string, number>>;
  /** Columns that stay in sight, before all others. */
  readonly pinned?: readonly string[];
}

export const NARROWEST = 64;
export const WIDEST = 900;

export function isShown(field: FieldModel, { hide, show }: ColumnChoice): boolean {
  return (show.includes(field.name) || !field.hidden) && !hide.includes(field.name);
}

/** All fields in the order of the columns: pinned ones, then those that were moved, then the others as they come. */
export function inOrder(fields: readonly FieldModel[], choice: ColumnChoice): FieldModel[] {
  const { order = [], pinned = [] } = choice;
  const rank = ({ name }: FieldModel) =>
    pinned.includes(name)
      ? pinned.indexOf(name) - fields.length - order.length
      : order.includes(name)
        ? order.indexOf(name)
        : order.length;
  return [...fields].sort((a, b) => rank(a) - rank(b));
}

/** How many of the columns stay in sight while the others scroll: the first always does. */
export function stickyCount(columns: readonly FieldModel[], { pinned = [] }: ColumnChoice): number {
  return Math.max(1, columns.filter(({ name }) => pinned.includes(name)).length);
}

export function toggled(choice: ColumnChoice, name: string, isOn: boolean): ColumnChoice {
  return isOn
    ? { ...choice, hide: [...choice.hide, name], show: choice.show.filter((each) => each !== name) }
    : { ...choice, hide: choice.hide.filter((each) => each !== name), show: [...choice.show, name] };
}

/** A column before or after another one; among pinned ones it is pinned too, and elsewhere it is not. */
export function moved(
  choice: ColumnChoice,
  fields: readonly FieldModel[],
  name: string,
  target: string,
  isAfter: boolean,
): ColumnChoice {
  if (name === target) return choice;
  const pinned = choice.pinned ?? [];
  const place = (names: readonly string[]) => {
    const rest = names.filter((each) => each !== name);
    return rest.toSpliced(rest.indexOf(target) + (isAfter ? 1 : 0), 0, name);
  };
  return {
    ...choice,
    order: place(inOrder(fields, choice).map((field) => field.name)),
    pinned: pinned.includes(target) ? place(pinned) : pinned.filter((each) => each !== name),
  };
}

export function pinToggled(choice: ColumnChoice, name: string): ColumnChoice {
  const { pinned = [] } = choice;
  return {
    ...choice,
    pinned: pinned.includes(name) ? pinned.filter((each) => each !== name) : [...pinned, name],
  };
}

/** Undefined gives the column the width of its type again. */
export function resized(choice: ColumnChoice, name: string, width: number | undefined): ColumnChoice {
  const { [name]: _before, ...others } = choice.widths ?? {};
  if (width === undefined) return { ...choice, widths: others };
  return { ...choice, widths: { ...others, [name]: Math.round(Math.min(WIDEST, Math.max(NARROWEST, width))) } };
}
