/** Why a piece of raw SQL (an index definition, a view query) is not accepted. The message is fit for superusers. */
export class SqlTextError extends Error {
  override readonly name = 'SqlTextError';
}
