/** What a database is opened for. */
export interface OpeningOptions {
  /**
   * It is empty, or what is in it is the part that somebody had written who was interrupted, and it is marked as
   * unfinished until the mark is taken away (UNFINISHED). Without this, one that is so marked is refused.
   */
  readonly fills?: boolean;
}
