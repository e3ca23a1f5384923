import type { CollectionModel, FieldModel } from '../api/collection-model.js';
import { presentableFields } from '../api/collection-model.js';

const SORTABLE = new Set(['text', 'number', 'bool', 'email', 'url', 'date', 'autodate', 'select', 'editor']);

/** Rows of one page (UI-17). */
export const PAGE_SIZE = 40;

/** The sort key behind a column header, '' when the column cannot be sorted. */
export function sortKey(field: FieldModel, collections: readonly CollectionModel[]): string {
  if (field.type === 'relation' && !(Number(field.maxSelect) > 1)) {
    const target = collections.find((each) => each.id === field.collectionId);
    const shown = presentableFields(target)[0];
    return shown && SORTABLE.has(shown.type) ? `${field.name}.${shown.name}` : field.name;
  }
  if (!SORTABLE.has(field.type) || Number(field.maxSelect) > 1) return '';
  return field.name;
}

/** The order without a choice: newest first. Views have no row number to go by. */
export function defaultSort(collection: CollectionModel): string {
  return collection.type === 'view' ? '' : '-@rowid';
}

/** The relations to expand so that records can be shown by what stands for them, one level further down too. */
export function expandOf(collection: CollectionModel, collections: readonly CollectionModel[]): string {
  const paths: string[] = [];
  for (const field of collection.fields.filter((each) => each.type === 'relation')) {
    paths.push(field.name);
    const target = collections.find((each) => each.id === field.collectionId);
    for (const shown of presentableFields(target)) {
      if (shown.type === 'relation') paths.push(`${field.name}.${shown.name}`);
    }
  }
  return paths.slice(0, 40).join(',');
}

/** Only as much of long texts as a cell can show. */
export function listFields(collection: CollectionModel): string {
  const long = collection.fields
    .filter((field) => field.type === 'editor')
    .map((field) => `${field.name}:excerpt(200)`);
  return ['*', ...long].join(',');
}
