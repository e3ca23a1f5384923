/** Milliseconds that long work of all kinds may hold the event loop in one round of it. */
const LENGTH = 8;

/** Whose long work waits for a turn, and what lets each piece of it go on, in order of arrival. */
const waiting = new Map<string, (() => void)[]>();

/** When the long work of this round has to be over; 0 while there was none. */
let endOfRound = 0;

/**
 * The time that a piece of long work has on the event loop until it lets others in. Everything that is long waits in
 * one queue, of which one piece goes on in each round of the loop: however many are at work, requests and sockets wait
 * for one of them only. Clients take turns: who has much at work does not keep others waiting with theirs.
 */
export class Turn {
  private until = performance.now() + LENGTH;

  /** `client` is whom the work is done for; '' for nobody in particular. */
  constructor(private readonly client = '') {}

  get isOver(): boolean {
    return performance.now() >= this.until;
  }

  /**
   * To be awaited before work that may be long begins, of which many pieces can arrive in one round: waits when others
   * have had the time of this round, or wait themselves. Undefined where there is nothing to wait for.
   */
  begin(): Promise<void> | undefined {
    if (waiting.size > 0) return this.next();
    const now = performance.now();
    if (endOfRound === 0) {
      endOfRound = now + LENGTH;
      setImmediate(endRound);
    }
    if (now >= endOfRound) return this.next();
    this.until = endOfRound;
    return undefined;
  }

  /** Lets others in; resolves when it is this work's turn again. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      const ofClient = waiting.get(this.client);
      if (ofClient) ofClient.push(resolve);
      else if (waiting.set(this.client, [resolve]).size === 1) setImmediate(goOn);
    });
    this.until = performance.now() + LENGTH;
  }

  /** As `next` once the time is over; otherwise nothing is waited for. */
  pause(): Promise<void> | undefined {
    return this.isOver ? this.next() : undefined;
  }
}

function endRound(): void {
  endOfRound = 0;
}

/** One piece of the client that has waited for longest, which then is the last to have its turn again. */
function goOn(): void {
  const [client, pieces] = waiting.entries().next().value!;
  waiting.delete(client);
  pieces.shift()!();
  if (pieces.length > 0) waiting.set(client, pieces);
  if (waiting.size > 0) setImmediate(goOn);
}
