import { IncomingMessage } from 'node:http';

type Dump = (this: IncomingMessage) => void;

/** Node's way to read what is left of a request once it is answered, which its types do not name. */
const { _dump: dump } = IncomingMessage.prototype as unknown as { _dump: Dump };

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
  protected _dump(): void {
    const { _readableState: state, _eventsCount: listeners } = this as unknown as Internals;
    if (state?.ended && state.length === 0 && listeners === 0) state.endEmitted = true;
    else dump.call(this);
  }
}
