import { IncomingMessage } from 'node:http';

type Dump = (this: IncomingMessage) => void;

/** Node's way to read what is left of a request once it is answered, which its types do not name. */
const { _dump: dump } = IncomingMessage.prototype as unknown as { _dump: Dump };

/** Pieces of a body after which they have to have so many bytes on average. */
const MANY_PIECES = 1_000;
const SHORT = 16;

/** What Node keeps of the state of a stream. */
interface Internals {
  readonly _readableState?: { readonly ended: boolean; readonly length: number; endEmitted: boolean };
  readonly _eventsCount: number;
}

/**
 * Node's request, quicker where there is no body, as with almost all that read. Once a request is answered, Node makes
 * its stream flow to its end, which takes six entries in its queue of ticks: 9 % of the processor time of a view. Where
 * the end is reached already and nobody listens, it is over. A version of Node that has no such method, or keeps the
 * state elsewhere, does as it always does.
 */
export class RoostMessage extends IncomingMessage {
  private pieces = 0;
  private bytes = 0;
  private isCut = false;

  /**
   * Ends the connection of a client that sends its body almost byte by byte: each piece is a call of Node's parser, and
   * what it has read of one connection at once may be ten thousand of them, while which everybody else waits (OPS-39).
   */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.isCut) return false;
    this.pieces += 1;
    this.bytes += piece?.length ?? 0;
    this.isCut = this.pieces > MANY_PIECES && this.bytes < this.pieces * SHORT;
    if (!this.isCut) return super.push(piece, encoding);
    this.socket.destroy();
    return false;
  }

  protected _dump(): void {
    const { _readableState: state, _eventsCount: listeners } = this as unknown as Internals;
    if (state?.ended && state.length === 0 && listeners === 0) state.endEmitted = true;
    else dump.call(this);
  }
}
