import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { charactersOf } from '../../kernel/characters-of.js';
import { jsonInPieces } from '../../kernel/json-in-pieces.js';
import { EventLoopTurn } from '../event-loop/event-loop-turn.js';

/** Milliseconds that a client may take for what was written last. */
const STALL_TIME = 30_000;

/** An answer that is written as it is made, piece by piece, as fast as its client reads. */
export class LargeAnswer {
  /** `pieces` are the parts of a JSON text. The work ends with the client. */
  constructor(private readonly pieces: () => AsyncIterable<string>) {}

  /**
   * Sends it. A client that does not read is disconnected, so that it does not keep the memory that others wait for.
   */
  send(reply: FastifyReply): FastifyReply {
    if (reply.request.method === 'HEAD') return reply.send('');
    return reply.send(Readable.from(this.watched(reply), { highWaterMark: 1 }));
  }

  private async *watched({ raw }: FastifyReply): AsyncGenerator<string> {
    let timer: NodeJS.Timeout | undefined;
    try {
      for await (const piece of this.pieces()) {
        timer = setTimeout(() => raw.destroy(), STALL_TIME).unref();
        yield piece;
        clearTimeout(timer);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Characters from which on a list is written item by item. */
const LONG = 1024 * 1024;

/**
 * The list as an answer that is written item by item, so that others have their turn between two; undefined where it is
 * written at once sooner.
 */
export function itemByItem(list: readonly unknown[]): LargeAnswer | undefined {
  return charactersOf(list, LONG) < LONG ? undefined : new LargeAnswer(() => itemsOf(list));
}

async function* itemsOf(list: readonly unknown[]): AsyncGenerator<string> {
  const turn = new EventLoopTurn();
  let before = '[';
  for (const item of list) {
    for (const piece of jsonInPieces(item, before)) {
      yield piece;
      await turn.pause();
    }
    before = ',';
  }
  yield ']';
}
