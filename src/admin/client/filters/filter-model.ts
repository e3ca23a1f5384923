import type { FilterNode, OperandNode } from '../../../kernel/filter/filter-node.js';
import { parseFilter } from '../../../kernel/filter/parse-filter.js';
import { printFilter } from '../../../kernel/filter/print-filter.js';
import { isMultiple, type CollectionModel, type FieldModel } from '../api/collection-model.js';
import { searchedFields, searchFilter, toFilter, toSearchText } from './search-text.js';

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

/** Words that are searched for in all fields that are searched. */
export interface SearchTerm {
  readonly kind: 'search';
  readonly words: string;
}

export interface FilterGroup {
  readonly kind: 'group';
  /** Whether all of its terms have to be met, or any. */
  readonly join: 'and' | 'or';
  readonly terms: readonly FilterTerm[];
}

export type FilterTerm = Condition | RawCondition | SearchTerm | FilterGroup;

/**
 * What a filter says, as a group. `searched` are the fields in which words are searched for. Throws a FilterError for a
 * text that says nothing.
 */
export function readFilter(text: string, searched: readonly string[] = []): FilterGroup {
  if (!text.trim()) return { kind: 'group', join: 'and', terms: [] };
  const term = termOf(parseFilter(text), searched);
  return term.kind === 'group' ? term : { kind: 'group', join: 'and', terms: [term] };
}

/** The text of a group; what is not filled in yet is left out. */
export function writeFilter({ join, terms }: FilterGroup, searched: readonly string[] = []): string {
  const texts = terms.flatMap((term) => {
    const text = textOf(term, searched);
    return text ? [text] : [];
  });
  const [only, ...others] = terms;
  // Conditions that are all there is need nothing around them.
  if (only?.kind === 'search' && only.words && others.length === 0) return searchFilter(only.words, searched);
  return texts.join(join === 'and' ? ' && ' : ' || ');
}

/** The text of the search box after it was edited: as it was written, where that says the same. */
export function rewritten(before: string, group: FilterGroup, collection: Pick<CollectionModel, 'fields'>): string {
  const searched = searchedFields(collection);
  const text = writeFilter(group, searched);
  try {
    if (writeFilter(readFilter(toFilter(before, collection), searched), searched) === text) return before;
  } catch {
    // It was no filter.
  }
  const [only, ...others] = group.terms;
  return only?.kind === 'search' && others.length === 0 ? toSearchText(only.words, collection) : text;
}

function termOf(node: FilterNode, searched: readonly string[]): FilterTerm {
  if (node.kind !== 'comparison') {
    const terms = node.terms.map((term) => termOf(term, searched));
    return searchIn(node.kind, terms, searched) ?? { kind: 'group', join: node.kind, terms };
  }
  const { left, right, operator, any } = node;
  const value = valueOf(right);
  if (left.kind !== 'identifier' || !value) return { kind: 'raw', text: printFilter(node) };
  return { kind: 'condition', field: left.name, operator: any ? `?${operator}` : operator, value };
}

/** The search that a group is, if it asks all searched fields for the same words and nothing else. */
function searchIn(join: string, terms: readonly FilterTerm[], searched: readonly string[]): SearchTerm | undefined {
  const [first] = terms;
  if (join !== 'or' || first?.kind !== 'condition' || terms.length !== searched.length) return undefined;
  const words = first.value.text;
  const isSearch = terms.every(
    (term, at) =>
      term.kind === 'condition' &&
      term.field === searched[at] &&
      term.operator === '~' &&
      term.value.kind === 'text' &&
      term.value.text === words,
  );
  return isSearch ? { kind: 'search', words } : undefined;
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

function textOf(term: FilterTerm, searched: readonly string[]): string {
  switch (term.kind) {
    case 'raw':
      return term.text;
    case 'search':
      return term.words ? `(${searchFilter(term.words, searched)})` : '';
    case 'condition':
      return term.field ? `${term.field} ${term.operator} ${literal(term.value)}` : '';
    case 'group': {
      const text = writeFilter(term, searched);
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
