/** What the address says about a record list: everything needed to come back to the same view (UI-17). */
export interface CollectionSearch {
  readonly filter?: string;
  readonly sort?: string;
  /** The id of the view that it was opened as (UI-73). */
  readonly view?: string;
  /** The id of the open record, or `new`. */
  readonly record?: string;
}

/** What the address says about the logs. */
export interface LogsSearch {
  readonly filter?: string;
  readonly log?: string;
}
