import { asWritten } from '../http/written-answer.js';
import type { ListPage } from '../kernel/query/page.js';

type Json = Record<string, unknown>;

/** A page of a list as JSON. */
export type ListEnvelope = ListPage<Json>;

/** The answer that was written as `text`; its records are made of that when somebody looks at them. */
export function writtenList(text: string, counts: Omit<ListEnvelope, 'items'>): ListEnvelope {
  const { page, perPage, totalItems, totalPages } = counts;
  let items: readonly Json[] | undefined;
  const answer = {
    get items(): readonly Json[] {
      return (items ??= (JSON.parse(text) as ListEnvelope).items);
    },
    set items(others: readonly Json[]) {
      items = others;
    },
    page,
    perPage,
    totalItems,
    totalPages,
  };
  const keys = Object.keys(answer).length;
  const isUntouched = () =>
    items === undefined &&
    answer.page === page &&
    answer.perPage === perPage &&
    answer.totalItems === totalItems &&
    answer.totalPages === totalPages &&
    Object.keys(answer).length === keys;
  return asWritten(answer, () => (isUntouched() ? text : undefined));
}
