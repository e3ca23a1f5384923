/** What somebody is told of a failure; whatever is thrown need not be an Error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
