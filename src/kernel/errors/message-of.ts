/** What somebody is told of a failure; whatever is thrown need not be an Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : thrownText(error);
}

/** Whatever was thrown as a text. What cannot be made one, such as an object without a prototype, is told by its kind. */
export function thrownText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return Object.prototype.toString.call(error);
  }
}
