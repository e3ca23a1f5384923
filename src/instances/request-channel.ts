/** DI token of the RequestChannel of a worker; nothing is provided under it in a process that has no parent. */
export const REQUEST_CHANNEL = Symbol('REQUEST_CHANNEL');

/** A way to ask another process something. What is asked and answered is JSON; an error there rejects here. */
export interface RequestChannel {
  request(name: string, payload: unknown): Promise<unknown>;
}

/** What answers on the other side, by the names of the requests. */
export type RequestAnswers = Readonly<Record<string, (payload: unknown) => unknown>>;
