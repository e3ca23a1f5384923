/** What cannot be copied, and why, in words for the operator. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}
