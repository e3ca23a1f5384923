import { formatDateTime } from '../date-time.js';

const DAY = 24 * 60 * 60 * 1000;

type Macro<Value> = (now: number, date: Date) => Value;

const midnight = (date: Date) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
const monthStart = (date: Date, monthsLater = 0) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater);
const yearStart = (date: Date, yearsLater = 0) => Date.UTC(date.getUTCFullYear() + yearsLater, 0);

/** Moments, in milliseconds. Days are UTC days, so all of them have the same length. */
const DATE_MACROS: ReadonlyMap<string, Macro<number>> = new Map<string, Macro<number>>([
  ['@now', (now) => now],
  ['@yesterday', (now) => now - DAY],
  ['@tomorrow', (now) => now + DAY],
  ['@todayStart', (_, date) => midnight(date)],
  ['@todayEnd', (_, date) => midnight(date) + DAY - 1],
  ['@monthStart', (_, date) => monthStart(date)],
  ['@monthEnd', (_, date) => monthStart(date, 1) - 1],
  ['@yearStart', (_, date) => yearStart(date)],
  ['@yearEnd', (_, date) => yearStart(date, 1) - 1],
]);

const NUMBER_MACROS: ReadonlyMap<string, Macro<number>> = new Map<string, Macro<number>>([
  ['@second', (_, date) => date.getUTCSeconds()],
  ['@minute', (_, date) => date.getUTCMinutes()],
  ['@hour', (_, date) => date.getUTCHours()],
  ['@day', (_, date) => date.getUTCDate()],
  ['@month', (_, date) => date.getUTCMonth() + 1],
  ['@weekday', (_, date) => date.getUTCDay()],
  ['@year', (_, date) => date.getUTCFullYear()],
]);

/** Names of all macros, for editors. */
export const MACRO_NAMES: readonly string[] = [...DATE_MACROS.keys(), ...NUMBER_MACROS.keys()];

export function isMacro(name: string): boolean {
  return DATE_MACROS.has(name) || NUMBER_MACROS.has(name);
}

/** Whether the macro's value is a date text, which takes part in the conversion of dates (CMP-4). */
export function isDateMacro(name: string): boolean {
  return DATE_MACROS.has(name);
}

/**
 * The value of a macro at an instant (milliseconds since the epoch), undefined for other names. All macros of one
 * evaluated expression take the same instant (REF-9): ask the clock once, not per macro.
 */
export function macroValue(name: string, now: number): string | number | undefined {
  const moment = DATE_MACROS.get(name);
  if (moment) return formatDateTime(moment(now, new Date(now)));
  return NUMBER_MACROS.get(name)?.(now, new Date(now));
}
