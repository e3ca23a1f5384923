import { LoopRound } from './loop-round.js';

/** Milliseconds that all long work together may take in one round of the event loop. */
const LENGTH = 8;

/** The clients whose long work waits, and what resumes each piece of it, in order of arrival. */
const waiting = new Map<string, (() => void)[]>();

const round = new LoopRound(LENGTH);

/**
 * Lets long work give way to others on the event loop. All long work waits in one queue, of which one piece is resumed
 * in each round of the loop, so that requests and sockets wait for one piece at most. Clients are served round-robin:
 * one with much work does not delay the others. Work inside a transaction takes TimeSlices instead.
 */
export class EventLoopTurn {
  private until = performance.now() + LENGTH;

  /** `client` is whom the work is done for; '' for nobody in particular. */
  constructor(private readonly client = '') {}

  get isOver(): boolean {
    return performance.now() >= this.until;
  }

  /**
   * To be awaited before work that may be long: waits when the time of this round is used up or others wait. Undefined
   * when there is nothing to wait for.
   */
  begin(): Promise<void> | undefined {
    if (waiting.size > 0 || !round.mayBegin()) return this.next();
    this.until = round.end;
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

/** Resumes one piece of the client that waited longest, and puts that client at the end. */
function goOn(): void {
  const [client, pieces] = waiting.entries().next().value!;
  waiting.delete(client);
  pieces.shift()!();
  if (pieces.length > 0) waiting.set(client, pieces);
  if (waiting.size > 0) setImmediate(goOn);
}

/** Runs work that would block the event loop; each `yield` is a place where others may go first. Gives its result. */
export async function inSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  const turn = new EventLoopTurn();
  await turn.begin();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await turn.pause();
  }
}
