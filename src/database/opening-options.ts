/** What a database is opened for. */
export interface OpeningOptions {
  /**
   * The database is to be filled: it is empty, or holds a part of an interrupted filling, and is marked as unfinished
   * until the end (UNFINISHED). Without this option a marked database is refused.
   */
  readonly fills?: boolean;
}
