/** The shape of every error body. `data` is always an object, `{}` when there is nothing to add. */
export interface ErrorBody {
  code: number;
  message: string;
  data: Record<string, unknown>;
}

/**
 * A failure that a client may see, with its HTTP status and body. Anything else that is thrown is logged and answered
 * as a 500 without details.
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Response headers that go with this failure. */
  get headers(): Readonly<Record<string, string>> {
    return {};
  }

  /** What the client is sent. */
  toBody(): ErrorBody {
    return { code: this.status, message: this.message, data: { ...this.data } };
  }
}
