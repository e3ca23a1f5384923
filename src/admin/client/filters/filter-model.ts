import type { FilterNode, OperandNode } from '../../../kernel/filter/filter-node.js';
import { parseFilter } from '../../../kernel/filter/parse-filter.js';
import { printFilter } from '../../../kernel/filter/print-filter.js';
import { isMultiple, type FieldModel } from '../api/collection-model.js';

/** What a field is compared with; a word is a name, a macro such as `@now`, or `true`. */
export interface FilterValue {
  readonly kind: 'text' | 'number' | 'word';
  readonly text: string;
}

/** One line of the builder. */
export interface Condition {
  readonly kind: 'condition';
  readonly field: string;
  /** With its `?`. */
  readonly operator: string;
  readonly value: FilterValue;
}

/** A condition that has more to it than a line can show; it is kept as it is. */
export interface RawCondition {
  readonly kind: 'raw';
  readonly text: string;
}

export interface FilterGroup {
  readonly kind: 'group';
  /** Whether all of its terms have to be met, or any. */
  readonly join: 'and' | 'or';
  readonly terms: readonly FilterTerm[];
}

export type FilterTerm = Condition | RawCondition | FilterGroup;

/** What a filter says, as a group. Throws a FilterError for a text that says nothing. */
export function readFilter(text: string): FilterGroup {
  if (!text.trim()) return { kind: 'group', join: 'and', terms: [] };
  const term = termOf(parseFilter(text));
  return term.kind === 'group' ? term : { kind: 'group', join: 'and', terms: [term] };
}

/** The text of a group; what is not filled in yet is left out. */
export function writeFilter({ join, terms }: FilterGroup): string {
  const texts = terms.flatMap((term) => {
    const text = textOf(term);
    return text ? [text] : [];
  });
  return texts.join(join === 'and' ? ' && ' : ' || ');
}

/** The text after it was edited: as it was written, where that says the same. */
export function rewritten(before: string, group: FilterGroup): string {
  try {
    if (writeFilter(readFilter(before)) === writeFilter(group)) return before;
  } catch {
    // It was no filter.
  }
  return writeFilter(group);
}

function termOf(node: FilterNode): FilterTerm {
  if (node.kind !== 'comparison') return { kind: 'group', join: node.kind, terms: node.terms.map(termOf) };
  const { left, right, operator, any } = node;
  const value = valueOf(right);
  if (left.kind !== 'identifier' || !value) return { kind: 'raw', text: printFilter(node) };
  return { kind: 'condition', field: left.name, operator: any ? `?${operator}` : operator, value };
}

function valueOf(node: OperandNode): FilterValue | undefined {
  switch (node.kind) {
    case 'text':
      return { kind: 'text', text: node.value };
    case 'number':
      return { kind: 'number', text: node.text };
    case 'identifier':
      return { kind: 'word', text: node.name };
    case 'call':
      return undefined;
  }
}

function textOf(term: FilterTerm): string {
  switch (term.kind) {
    case 'raw':
      return term.text;
    case 'condition':
      return term.field ? `${term.field} ${term.operator} ${literal(term.value)}` : '';
    case 'group': {
      const text = writeFilter(term);
      return text && term.terms.length > 1 ? `(${text})` : text;
    }
  }
}

function literal({ kind, text }: FilterValue): string {
  if (kind === 'word' && /^[@\w.:#]+$/.test(text)) return text;
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return text;
  return JSON.stringify(text);
}

const COMPARED = ['=', '!=', '>', '>=', '<', '<='];

/** The operators that make sense for a field, the most usual one first. */
export function operatorsFor(field: FieldModel | undefined): readonly string[] {
  if (field && isMultiple(field)) return ['?=', '?!=', '?~', '?!~', '=', '!='];
  switch (field?.type) {
    case 'number':
    case 'date':
    case 'autodate':
      return COMPARED;
    case 'bool':
    case 'select':
    case 'relation':
      return ['=', '!='];
    case undefined:
    case 'json':
    case 'geoPoint':
      return [...COMPARED, '~', '!~'];
    default:
      return ['~', '!~', '=', '!='];
  }
}

const WORDS: Readonly<Record<string, string>> = {
  '=': 'is',
  '!=': 'is not',
  '~': 'contains',
  '!~': 'does not contain',
  '>': 'is more than',
  '>=': 'is at least',
  '<': 'is less than',
  '<=': 'is at most',
};
const TIMES: Readonly<Record<string, string>> = {
  '>': 'is after',
  '>=': 'is at or after',
  '<': 'is before',
  '<=': 'is at or before',
};

/** What an operator is called beside the name of a field. */
export function operatorLabel(operator: string, field: FieldModel | undefined): string {
  const plain = operator.replace('?', '');
  const isTime = field?.type === 'date' || field?.type === 'autodate';
  const words = (isTime ? TIMES[plain] : undefined) ?? WORDS[plain] ?? plain;
  return operator.startsWith('?') ? `any ${words}` : words;
}

/** What a new condition on a field begins with. */
export function conditionOn(field: FieldModel | undefined, name = field?.name ?? ''): Condition {
  const value: FilterValue =
    field?.type === 'bool'
      ? { kind: 'word', text: 'true' }
      : field?.type === 'number'
        ? { kind: 'number', text: '0' }
        : { kind: 'text', text: '' };
  return { kind: 'condition', field: name, operator: operatorsFor(field)[0]!, value };
}
