/** What was carried over of one collection; the counts are the same on both sides. */
export interface ImportedCollection {
  readonly name: string;
  readonly records: number;
  readonly files: number;
  /** SHA-256 over all values of all records in the order of their ids, the same on both sides. */
  readonly checksum: string;
}

/** What an import did and what it left out. */
export interface ImportReport {
  readonly collections: readonly ImportedCollection[];
  /** How many definitions of collections, views included, were compared with the source. */
  readonly definitions: number;
  /** What was imported with changes: by collection and field, with the old and the new value. */
  readonly changed: readonly string[];
  /** What was not imported. */
  readonly notCarriedOver: readonly string[];
}

/** Called with a line about every step. */
export type Progress = (line: string) => void;
