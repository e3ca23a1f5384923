/** A file that arrived with a request: already on disk, its type sniffed from its content. */
export interface Upload {
  /** The name as the client sent it, directory part cut off. */
  readonly originalName: string;
  /** The name it will be stored under: normalised, with its random suffix. Stands in the record's value. */
  readonly name: string;
  /** Bytes received. */
  readonly size: number;
  /** True when receiving stopped because the part grew past what its field takes; the content is incomplete. */
  readonly truncated: boolean;
  /** The type detected from the content, e.g. `image/png`. */
  readonly mimeType: string;
  /** MD5 of the content, base64. */
  readonly md5: string;
  /** Where the content is, a path below the data directory's `.temp`. */
  readonly path: string;
}
