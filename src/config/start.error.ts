/** The process cannot do what it was started for: exit code 1 and one readable line (OPS-163). */
export class StartError extends Error {
  readonly exitCode = 1;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}
