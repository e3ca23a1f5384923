/** A process for slow statements could not be started, or ended before it was ready. */
export class ProcessUnavailableError extends Error {
  override readonly name = 'ProcessUnavailableError';
}
