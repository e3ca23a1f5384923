/** The items in lists of this length, of which the last one may be shorter. */
export function* chunksOf<Item>(items: readonly Item[], length: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += length) yield items.slice(start, start + length);
}
