/** A process that was asked for something has ended, or could not be started. */
export class ProcessEndedError extends Error {
  override readonly name = 'ProcessEndedError';
}
