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
  readonly notCarriedOver: readonly string[];
}

/** Told a line about every step. */
export type Progress = (line: string) => void;
