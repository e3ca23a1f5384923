/** Bytes of the longest pattern that SQLite takes: SQLITE_MAX_LIKE_PATTERN_LENGTH, where nobody has changed it. */
export const LONGEST_PATTERN = 50_000;
