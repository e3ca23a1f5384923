/** An action as rate limit rules name it. */
export interface LimitedAction {
  /** The tags of the endpoint, the most specific first. */
  readonly tags: readonly string[];
  /** The collection the endpoint works on, if it has one. */
  readonly collection: { readonly id: string; readonly name: string } | null;
  readonly method: string;
  /** As the client wrote it, from the path on: a collection is named by its id or name. */
  readonly url: string;
}

/**
 * The labels a request has by its tags, in the order in which rules are looked for (OPS-21): `<collection>:<tag>`,
 * `*:<tag>`, `<tag>`. Those by its method and path come after them.
 */
export function tagLabels(tags: readonly string[], collection: string | undefined): readonly string[] {
  if (collection === undefined) return tags;
  return [...tags.map((tag) => `${collection}:${tag}`), ...tags.map((tag) => `*:${tag}`), ...tags];
}
