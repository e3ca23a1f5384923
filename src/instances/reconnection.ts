import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two attempts. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1_000;

/** Reconnects until it works, and tells listeners when the connection is lost and when it is back. */
export class Reconnection {
  private readonly lostListeners: (() => void)[] = [];
  private readonly backListeners: (() => void)[] = [];
  private readonly closing = new AbortController();

  /** Calls back when the connection is lost. */
  onLost(listener: () => void): void {
    this.lostListeners.push(listener);
  }

  /** Calls back when there is one again. */
  onBack(listener: () => void): void {
    this.backListeners.push(listener);
  }

  /** Gives up trying. */
  close(): void {
    this.closing.abort();
  }

  /**
   * The connection is lost. `connect` makes another one, `use` takes it, and `drop` ends one that comes after `close`.
   */
  async lost<Connection>(
    connect: () => Promise<Connection>,
    use: (connection: Connection) => void,
    drop: (connection: Connection) => void,
  ): Promise<void> {
    for (const listener of this.lostListeners) listener();
    const { signal } = this.closing;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        await sleep(pause, undefined, { signal, ref: false });
        const connection = await connect();
        if (signal.aborted) return drop(connection);
        use(connection);
        break;
      } catch {
        if (signal.aborted) return;
      }
    }
    for (const listener of this.backListeners) listener();
  }
}
