import { EventLoopTurn } from '../http/event-loop/event-loop-turn.js';
import { jsonInPieces } from '../kernel/json-in-pieces.js';

/** Keeps proxies from closing a quiet connection and finds peers that are gone. Parsers ignore comments (RT-17). */
export const KEEP_ALIVE = Buffer.from(':\n\n');

/**
 * One message as it goes over the wire: `event:` and one `data:` line, no blank after the colons. Neither part may
 * hold a line break. Bytes are made once and written to everybody who gets the same message.
 */
export function sseMessage(event: string, data: string): Buffer {
  return Buffer.from(`event:${event}\ndata:${data}\n\n`);
}

/**
 * A value as JSON that every reader takes for one line (RT-70): some clients break lines at these characters as well,
 * which JSON lets stand in a text.
 */
export function jsonLine(value: unknown): string {
  return inLine(JSON.stringify(value));
}

/** As `jsonLine`, for a value that takes long to write: others have their turn between two pieces of it. */
export async function longJsonLine(value: unknown): Promise<string> {
  const turn = new EventLoopTurn();
  const pieces: string[] = [];
  for (const piece of jsonInPieces(value)) {
    pieces.push(inLine(piece));
    await turn.pause();
  }
  return pieces.join('');
}

/** Fixed texts in place of each other: a function that is called for each of millions takes a second. */
function inLine(json: string): string {
  return json
    .replace(/\u0085/g, '\\u0085')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029');
}

/**
 * What every stream begins with (RT-3): the connect event, and the same under the name that the official SDK waits
 * for, which takes its client id from the `id:` line.
 */
export function connectMessages(id: string): Buffer {
  const lines = (event: string) => `id:${id}\nevent:${event}\ndata:{"clientId":"${id}"}\n\n`;
  return Buffer.from(lines('SVC_CONNECT') + lines('PB_CONNECT'));
}
