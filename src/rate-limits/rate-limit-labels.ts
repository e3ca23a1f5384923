/** What is asked for, as rate limit rules can name it. */
export interface LimitedAction {
  /** The tags of the endpoint, the most specific first. */
  readonly tags: readonly string[];
  /** The collection the endpoint works on, if it has one. */
  readonly collection: { readonly id: string; readonly name: string } | null;
  readonly method: string;
  /** The path of the URL as sent, without query. */
  readonly path: string;
}

/**
 * The labels of a request in the order in which rules are looked for (OPS-21): `<collection>:<tag>`, `*:<tag>`,
 * `<tag>`, method and path, path. What names GET names HEAD too, which is the same endpoint.
 */
export function rateLimitLabels({ tags, collection, method, path }: LimitedAction): string[] {
  const labels: string[] = [];
  if (collection) {
    for (const tag of tags) labels.push(`${collection.name}:${tag}`);
    for (const tag of tags) labels.push(`*:${tag}`);
  }
  labels.push(...tags, `${method} ${path}`);
  if (method === 'HEAD') labels.push(`GET ${path}`);
  labels.push(path);
  return labels;
}
