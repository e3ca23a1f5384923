import type { Readable } from 'node:stream';
import type pg from 'pg';
import { LoopRound } from '../../http/event-loop/loop-round.js';

/** Milliseconds that large answers of all connections may take in one round of the event loop. */
const LENGTH = 8;

/** Bytes of a piece of a large answer; one that came encrypted has no more. */
const LARGE_PIECE = 16 * 1024;

const round = new LoopRound(LENGTH);

/**
 * Has a connection wait for the next round of the event loop with what it reads of a large answer, when the time of this
 * one is over: ten connections may each bring a row of megabytes, and it takes milliseconds to make texts of it (OPS-39).
 */
export function paceReading(client: pg.ClientBase): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Readable } }).connection;
  stream.on('data', (piece: Buffer) => {
    if (piece.length < LARGE_PIECE || round.mayBegin()) return;
    stream.pause();
    void round.next().then(() => stream.resume());
  });
}
