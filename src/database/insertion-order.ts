/** The column that tells in which order the rows of a table were inserted, where entities of TypeORM ask for it. */
export const INSERTION_ORDER = '_rowid_';
