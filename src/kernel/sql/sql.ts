import type { SqlValue } from '../fields/field-type.js';
import type { Slot, SqlComparison, SqlFunction, SqlNode, SqlSelect, SqlSource, SqlType } from './sql-node.js';

export const TRUE: SqlNode = { kind: 'truth', value: true };
export const FALSE: SqlNode = { kind: 'truth', value: false };
export const NULL: SqlNode = { kind: 'null' };
export const EMPTY: SqlNode = { kind: 'constant', value: '' };
export const ZERO: SqlNode = { kind: 'constant', value: 0 };
export const ONE: SqlNode = { kind: 'constant', value: 1 };

export function column(alias: string, name: string, type: SqlType = 'text'): SqlNode {
  return { kind: 'column', alias, name, type };
}

export function param(value: SqlValue | Slot, type?: SqlType): SqlNode {
  return { kind: 'param', value, type: type ?? (typeof value === 'number' ? 'number' : 'text') };
}

export function call(name: SqlFunction, ...args: readonly SqlNode[]): SqlNode {
  return { kind: 'call', name, args };
}

export function compare(left: SqlNode, operator: SqlComparison, right: SqlNode): SqlNode {
  return { kind: 'compare', operator, left, right };
}

/** The value is one of these, of which there may be none. */
export function oneOf(value: SqlNode, list: readonly SqlNode[]): SqlNode {
  return { kind: 'oneOf', value, list };
}

export function isNull(value: SqlNode): SqlNode {
  return { kind: 'isNull', value };
}

/** Not '', for a text that is not NULL. */
export function isFilled(value: SqlNode): SqlNode {
  return { kind: 'isFilled', value };
}

/** All of the terms; without terms, true. */
export function and(...terms: readonly SqlNode[]): SqlNode {
  const rest = terms.filter((term) => term !== TRUE);
  if (rest.length === 0) return TRUE;
  return rest.length === 1 ? rest[0]! : { kind: 'and', terms: rest };
}

/** What all has to be true for a condition to be true. */
export function termsOf(condition: SqlNode): readonly SqlNode[] {
  return condition.kind === 'and' ? condition.terms.flatMap(termsOf) : [condition];
}

/** Some of the terms; without terms, false. */
export function or(...terms: readonly SqlNode[]): SqlNode {
  const rest = terms.filter((term) => term !== FALSE);
  if (rest.length === 0) return FALSE;
  return rest.length === 1 ? rest[0]! : { kind: 'or', terms: rest };
}

export function not(term: SqlNode): SqlNode {
  if (term.kind === 'truth') return term.value ? FALSE : TRUE;
  return { kind: 'not', term };
}

/** `value` when the condition is true, `otherwise` when it is false or NULL. */
export function choose(when: SqlNode, value: SqlNode, otherwise: SqlNode): SqlNode {
  return { kind: 'case', when, value, otherwise };
}

/** The rows of a table, with its name as their alias. */
export function table(name: string): SqlSource {
  return { kind: 'table', name, as: name };
}

/** Columns of a table, each under its own name. */
export function columnsOf(alias: string, columns: Readonly<Record<string, SqlType>>): SqlSelect['columns'] {
  return Object.entries(columns).map(([name, type]) => ({ value: column(alias, name, type), as: name }));
}
