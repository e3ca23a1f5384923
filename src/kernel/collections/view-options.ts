/** What was sent for the query of a view: under its own name and under `options.query` (COL-3). */
export interface ViewQueryInput {
  readonly viewQuery?: string;
  readonly optionsQuery?: string;
}

/**
 * The query a view shall have. When both spellings are given and differ, the one that is not the present query counts;
 * undefined when both are new, because nobody can tell which was meant.
 */
export function resolveViewQuery(present: string, input: ViewQueryInput): string | undefined {
  const { viewQuery = present, optionsQuery = present } = input;
  if (viewQuery === optionsQuery || optionsQuery === present) return viewQuery;
  return viewQuery === present ? optionsQuery : undefined;
}
