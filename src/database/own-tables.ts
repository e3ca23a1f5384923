/** The table that exists in a database while it is filled from elsewhere, and is dropped as the last step. */
export const UNFINISHED_TABLE = '_unfinished';

/** Which database is looked for. */
export interface ExpectedDatabase {
  /** A table that a database of this application has; without it everything is taken. */
  readonly ownTable?: string;
  /** Whether the database is to be filled: it must be empty, or an interrupted filling. */
  readonly fills: boolean;
}

/** What is wrong with a database that has these tables; undefined when it may be used. */
export function reasonToRefuse(names: readonly string[], { ownTable, fills }: ExpectedDatabase): string | undefined {
  if (ownTable === undefined || names.length === 0) return undefined;
  const isUnfinished = names.includes(UNFINISHED_TABLE);
  if (fills) return isUnfinished ? undefined : 'it is not empty, and nothing was changed in it';
  if (isUnfinished) {
    return 'it holds a part of a copy only, which still goes on or was interrupted: run the command again that fills it';
  }
  return names.includes(ownTable) ? undefined : 'it has tables of another program, and nothing was changed in it';
}
