import type { CollectionModel } from '../api/collection-model.js';

/** What can be typed into the search of a collection, with an example of its own fields. */
export function searchHint({ fields }: CollectionModel): string {
  const visible = fields.filter((field) => !field.hidden && field.name !== 'id');
  const date = visible.find((field) => field.type === 'autodate' || field.type === 'date');
  const text = visible.find((field) => field.type === 'text' || field.type === 'email' || field.type === 'editor');
  const number = visible.find((field) => field.type === 'number');
  const example = [
    text ? `${text.name} ~ "nest"` : number ? `${number.name} > 10` : '',
    date ? `${date.name} > "2026-01-01"` : '',
  ];
  const words = example.filter(Boolean).join(' && ');
  return words ? `Search, or filter like  ${words}` : 'Search, or filter';
}
