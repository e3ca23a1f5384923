/** For `catch` on work with a file or directory: undefined when it is not there. Throws every other failure again. */
export function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
