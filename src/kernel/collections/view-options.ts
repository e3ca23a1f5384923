/** What was sent for the query of a view: under its own name and under `options.query` (COL-3). */
export interface ViewQueryInput {
  readonly viewQuery?: string;
  readonly optionsQuery?: string;
}

/**
 * The query a view shall have. When both spellings are given and differ, the one that is not the stored query counts;
 * undefined when both are new, because nobody can tell which was meant.
 */
export function resolveViewQuery(stored: string | undefined, input: ViewQueryInput): string | undefined {
  const { viewQuery, optionsQuery } = input;
  if (viewQuery === undefined || optionsQuery === undefined || viewQuery === optionsQuery) {
    return viewQuery ?? optionsQuery ?? stored ?? '';
  }
  if (stored === undefined) return undefined;
  if (viewQuery === stored) return optionsQuery;
  return optionsQuery === stored ? viewQuery : undefined;
}
