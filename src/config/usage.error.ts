/** The command line, the environment or `.env` is wrong: exit code 2 and one line that names the culprit (OPS-161). */
export class UsageError extends Error {
  readonly exitCode = 2;

  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
