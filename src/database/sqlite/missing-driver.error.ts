/** The package of a driver cannot be loaded. The message is meant for the operator and says what to do. */
export class MissingDriverError extends Error {
  override readonly name = 'MissingDriverError';
}
