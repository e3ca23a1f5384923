import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import type { ListViewInput, ListViewModel } from '../api/models.js';
import type { ColumnChoice } from '../records/column-layout.js';

const pathOf = (collection: CollectionModel, id = '') =>
  `/api/collections/${collection.id}/list-views${id ? `/${id}` : ''}`;

/** What is kept under names of the list of a collection: one's own, and what is for all superusers. */
export function viewsQuery(collection: CollectionModel) {
  return queryOptions({
    queryKey: ['list-views', collection.id],
    queryFn: ({ signal }) => api.send<ListViewModel[]>(pathOf(collection), { signal }),
    staleTime: 10_000,
  });
}

/** Makes a view, or with an id replaces one. */
export function saveView(collection: CollectionModel, body: ListViewInput, id?: string): Promise<ListViewModel> {
  return api.send<ListViewModel>(pathOf(collection, id), { method: id ? 'PUT' : 'POST', body });
}

export async function deleteView(collection: CollectionModel, id: string): Promise<void> {
  await api.send(pathOf(collection, id), { method: 'DELETE' });
}

const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/** The columns of a view, whoever has written them. */
export function columnsOf({ columns }: Pick<ListViewModel, 'columns'>): ColumnChoice {
  const { hide, show, order, pinned, widths } = columns as Record<string, unknown>;
  const sizes = Object.entries(typeof widths === 'object' && widths !== null ? widths : {});
  return {
    hide: namesOf(hide),
    show: namesOf(show),
    ...(order === undefined ? {} : { order: namesOf(order) }),
    ...(pinned === undefined ? {} : { pinned: namesOf(pinned) }),
    ...(widths === undefined
      ? {}
      : { widths: Object.fromEntries(sizes.filter((each): each is [string, number] => typeof each[1] === 'number')) }),
  };
}

/** What a list shows at the moment, as a view would keep it. */
export interface ShownList {
  readonly filter: string;
  readonly sort: string;
  readonly columns: ColumnChoice;
}

/** Whether a list shows something else by now than the view that it was opened as. */
export function isChanged(view: ListViewModel, { filter, sort, columns }: ShownList): boolean {
  const sorted = (value: object) => JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return view.filter !== filter || view.sort !== sort || sorted(columnsOf(view)) !== sorted(columns);
}
