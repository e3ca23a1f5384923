import type { IncomingMessage, ServerResponse } from 'node:http';

/** Who is shown what passes between a client and a server. */
export interface ExchangeObserver {
  /** A piece of the body of the request. */
  asked(chunk: Buffer): void;
  /** The head of the answer, and how its body is encoded; '' when it is not. */
  head(text: string, encoding: string): void;
  /** A piece of the body of the answer. */
  told(chunk: Buffer): void;
  /** Nothing more will come. */
  ended(): void;
}

export const LONGEST_BODY: number;
export function isWatched(url: string): boolean;
export function teeExchange(request: IncomingMessage, response: ServerResponse, observer: ExchangeObserver): void;
