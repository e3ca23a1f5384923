/** Stands in a database for as long as it is filled from elsewhere, and goes with the last of what it is filled with. */
export const UNFINISHED = '_unfinished';

/** Which database is looked for. */
export interface WantedDatabase {
  /** A table that a database of this application has; without it everything is taken. */
  readonly ownTable?: string;
  /** Whether it is to be filled: empty, or filled in part by one who was interrupted. */
  readonly fills: boolean;
}

/** What is wrong with a database that has these tables; undefined when it may be used. */
export function objectionTo(names: readonly string[], { ownTable, fills }: WantedDatabase): string | undefined {
  if (ownTable === undefined || names.length === 0) return undefined;
  const isUnfinished = names.includes(UNFINISHED);
  if (fills) return isUnfinished ? undefined : 'it is not empty, and nothing was changed in it';
  if (isUnfinished) {
    return 'it holds a part of a copy only, which still goes on or was interrupted: run the command again that fills it';
  }
  return names.includes(ownTable) ? undefined : 'it has tables of another program, and nothing was changed in it';
}
