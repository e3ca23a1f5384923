import { andCatch, type MaybePromise } from '../../kernel/maybe-promise.js';
import { ChildProcessConnection } from './child-process-connection.js';
import type { KillablePool } from './killable-pool.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';
import type { TransactionEvents } from './sqlite-transaction.js';

/** A commit of fewer rows moves the journal in some milliseconds. */
const MANY_ROWS = 5_000;

/** SQLite's own: the pages in the journal from which on a commit moves them. */
const AUTOMATIC_CHECKPOINT = 1000;

/**
 * Moves the journal (WAL) into the file after a commit of many rows. SQLite would do so within the commit, on this
 * thread, and that takes longer than the commit itself; a child process does it while others go on (OPS-39).
 */
export class LargeCommits {
  /** For the transactions on the connection that writes. */
  readonly events: Required<Pick<TransactionEvents, 'committing' | 'committed'>> = {
    committing: (rows) => (rows > MANY_ROWS ? this.checkpointFrom(0) : undefined),
    committed: (rows) => {
      if (rows > MANY_ROWS) void this.checkpointApart();
    },
  };
  private running = 0;

  constructor(
    private readonly writing: SqliteConnection,
    private readonly driver: SqliteDriver,
    private readonly processes: KillablePool,
  ) {}

  private async checkpointApart(): Promise<void> {
    this.running += 1;
    try {
      await this.processes.use((connection) => moveJournal(new ChildProcessConnection(connection, this.driver)));
    } catch {
      // The next commit does it.
    }
    this.running -= 1;
    if (this.running > 0) return;
    const again = () => this.checkpointFrom(AUTOMATIC_CHECKPOINT);
    // On a closed connection there is nothing left to do.
    await andCatch(again, () => undefined);
  }

  private checkpointFrom(pages: number): MaybePromise<unknown> {
    return this.writing.execute({ sql: `PRAGMA wal_autocheckpoint = ${pages}`, params: [] });
  }
}

/** Moves what no reader needs in the journal any more, without waiting for anybody. */
export function moveJournal(connection: SqliteConnection): Promise<void> {
  return connection.command('PRAGMA wal_checkpoint(PASSIVE)');
}
