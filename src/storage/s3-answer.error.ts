/** An answer of a store that has no end. */
export class S3AnswerError extends Error {
  /** Without it the SDK would add what it knows: a hint for programmers, and a status that makes it ask again. */
  readonly $metadata = {};
}
