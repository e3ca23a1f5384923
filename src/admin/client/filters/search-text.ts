import type { CollectionModel } from '../api/collection-model.js';

const SEARCHABLE = new Set(['text', 'editor', 'email', 'url', 'select', 'number', 'date', 'json', 'relation', 'file']);

/** The names of the fields in which words are searched for. */
export function searchedFields({ fields }: Pick<CollectionModel, 'fields'>): readonly string[] {
  const names = fields.filter((field) => SEARCHABLE.has(field.type) && !field.hidden).map((field) => field.name);
  return [...new Set(['id', ...names])];
}

/** The filter that searches fields for words. */
export function searchFilter(words: string, names: readonly string[]): string {
  const literal = `"${words.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  return names.map((name) => `${name} ~ ${literal}`).join(' || ');
}

/**
 * What the search box means: an expression is taken as it is, anything else is searched for in all visible text
 * fields. What has a comparison outside of quotes is meant as an expression, even when it is not a correct one.
 */
export function toFilter(text: string, collection: Pick<CollectionModel, 'fields'>): string {
  const search = text.trim();
  if (!search) return '';
  const bare = search.replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, '');
  if (/[=~<>]/.test(bare)) return search;
  return searchFilter(search.replace(/^(["'])(.*)\1$/, '$2'), searchedFields(collection));
}

/** What is typed into the search box to search for words: in quotes what would be taken for an expression. */
export function toSearchText(words: string, collection: Pick<CollectionModel, 'fields'>): string {
  const filter = searchFilter(words, searchedFields(collection));
  return [words, `"${words}"`].find((text) => toFilter(text, collection) === filter) ?? filter;
}
