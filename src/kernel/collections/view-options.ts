/** What was sent for the query of a view: under its own name and under `options.query` (COL-3). */
export interface ViewQueryInput {
  readonly viewQuery?: string;
  readonly optionsQuery?: string;
}

/**
 * The query of a view from its two spellings. When both are given and differ, the one that differs from the present
 * query counts; undefined when both do, because it is unclear which was meant.
 */
export function resolveViewQuery(present: string, input: ViewQueryInput): string | undefined {
  const { viewQuery = present, optionsQuery = present } = input;
  if (viewQuery === optionsQuery || optionsQuery === present) return viewQuery;
  return viewQuery === present ? optionsQuery : undefined;
}
