import { jsonInPieces } from '../../kernel/json-in-pieces.js';
import { inSlices } from '../event-loop/event-loop-turn.js';

/** The JSON of an answer, written while others have their turn. */
export function writtenInSlices(answer: unknown): Promise<Buffer> {
  return inSlices(written(answer));
}

function* written(answer: unknown): Generator<void, Buffer> {
  const pieces: Buffer[] = [];
  for (const piece of jsonInPieces(answer)) {
    pieces.push(Buffer.from(piece));
    yield;
  }
  return Buffer.concat(pieces);
}
