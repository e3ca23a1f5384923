/** Asks something of another process. Rejects with what that failed with, and when it can no longer answer. */
export interface RequestChannel {
  request(name: string, payload: unknown): Promise<unknown>;
}

/** What answers on the other side, by the names of the requests. */
export type RequestAnswers = Readonly<Record<string, (payload: unknown) => unknown>>;
