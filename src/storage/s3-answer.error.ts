/** An answer of a store that has no end. */
export class S3AnswerError extends Error {
  /** Without this the SDK would add a hint for programmers, and a status because of which it would retry. */
  readonly $metadata = {};
}
