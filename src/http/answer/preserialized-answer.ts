import type { ListPage } from '../../kernel/query/page.js';

/** How many members a page has. */
const MEMBERS = 5;

/** The JSON of an answer; undefined once the answer has been changed. */
type WrittenText = () => string | undefined;

const texts = new WeakMap<object, WrittenText>();

/**
 * A page of a list whose JSON exists already, from an answer cache. Interceptors and hooks can still read and change
 * it: `items` are parsed from the text on first access, and a changed answer is serialized as usual.
 */
export function preserializedPage<Item>(text: string, counts: Omit<ListPage<Item>, 'items'>): ListPage<Item> {
  const { page, perPage, totalItems, totalPages } = counts;
  let isSeen = false;
  let items: readonly Item[] = [];
  const see = (seen: readonly Item[]): void => {
    items = seen;
    isSeen = true;
  };
  const answer = {
    get items() {
      if (!isSeen) see((JSON.parse(text) as ListPage<Item>).items);
      return items;
    },
    set items(seen) {
      see(seen);
    },
    page,
    perPage,
    totalItems,
    totalPages,
  };
  const isUntouched = (): boolean =>
    !isSeen &&
    answer.page === page &&
    answer.perPage === perPage &&
    answer.totalItems === totalItems &&
    answer.totalPages === totalPages &&
    'items' in answer &&
    Object.keys(answer).length === MEMBERS;
  texts.set(answer, () => (isUntouched() ? text : undefined));
  return answer;
}

/** Whether the answer was made by `preserializedPage`. */
export function isPreserialized(answer: unknown): boolean {
  return texts.has(answer as object);
}

/** The JSON of an answer, written before or now. */
export function serializeAnswer(answer: unknown): string {
  return texts.get(answer as object)?.() ?? JSON.stringify(answer);
}
