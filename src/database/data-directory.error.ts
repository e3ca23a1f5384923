/**
 * The data directory cannot be used: it is locked, cannot be written, is damaged, or belongs to a newer version. The
 * message is meant for the operator and names the place; the process ends with exit code 1 (OPS-163).
 */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
}
