/** `@request.context`; other words are the names of ways of signing in that modules add. */
export type RequestContext =
  | 'default'
  | 'expand'
  | 'realtime'
  | 'protectedFile'
  | 'batch'
  | 'oauth2'
  | 'otp'
  | 'password'
  | (string & Record<never, never>);

/**
 * What a rule can see of a request, besides the caller. Values are as rules want them: query and header values are
 * strings, header names lower-cased with `_` for `-`, body values normalised and with modifiers applied.
 */
export interface RequestInfo {
  readonly context: RequestContext;
  readonly method: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the client has disconnected, so that no answer will be read. Absent where there is none. */
  readonly isAbandoned?: boolean;
}

/** The request of code that acts without one: a GET with nothing in it. */
export const NO_REQUEST: RequestInfo = { context: 'default', method: 'GET', query: {}, headers: {}, body: {} };
