/** A page of ids after one, in the order of ids. */
export type IdPage = (after: string) => Promise<readonly string[]>;

/**
 * The ids of all records that fit, page by page after the last one: what is made or deleted meanwhile shifts nothing.
 * A page that is not full is the last.
 */
export async function* matchingIds(pageAfter: IdPage, pageSize: number): AsyncGenerator<readonly string[]> {
  for (let last = ''; ;) {
    const ids = await pageAfter(last);
    if (ids.length) yield ids;
    if (ids.length < pageSize) return;
    last = ids.at(-1)!;
  }
}

/** The filter for a page after an id. The end of the line ends a comment in what was typed. */
export function filterAfter(filter: string, last: string): string {
  const after = last ? `id > ${JSON.stringify(last)}` : '';
  return [filter ? `(${filter}\n)` : '', after].filter(Boolean).join(' && ');
}
