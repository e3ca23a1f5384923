import { andCatch, andThen, type MaybePromise } from '../../kernel/maybe-promise.js';
import type { CompiledSql } from '../compiled-sql.js';
import { ChildProcessConnection } from './child-process-connection.js';
import type { KillablePool } from './killable-pool.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';

/** SQLite's own: the pages in the journal from which on it is moved. */
const DUE = 1000;

/** To move so many pages takes longer than others should wait. Commits of usual size never leave as many. */
const MANY = 1500;

/**
 * So many pages are moved while nobody writes: whoever wrote all the time would otherwise let it grow for ever, because
 * it begins again only when all of it is in the file.
 */
const FULL = 16_384;

/** Says how much is in the journal, and does nothing. */
const LOOK: CompiledSql = { sql: 'PRAGMA wal_checkpoint(NOOP)', params: [] };

interface Journal {
  /** Pages in it. */
  readonly log: number;
  /** Those of them that are in the file as well. */
  readonly checkpointed: number;
}

/**
 * Moves the journal (WAL) into the file after commits. SQLite would do so within the commit, on this thread, however
 * much it is, and for a large commit that takes longer than the commit itself. Here a child process moves what is much,
 * while others go on (OPS-39). How much it is SQLite alone knows: a row of a few changed bytes is written as a whole.
 */
export class Checkpoints {
  /** What a child process does at the moment. */
  private moving: Promise<void> | undefined;
  /** Whether there was a commit meanwhile. */
  private isBehind = false;
  private isHeld = false;
  private hasFailed = false;

  constructor(
    private readonly writing: SqliteConnection,
    private readonly driver: SqliteDriver,
    private readonly processes: KillablePool,
    /** Runs work while nobody writes. */
    private readonly whileIdle: (work: () => Promise<void>) => Promise<void>,
  ) {}

  /** From here on SQLite leaves the journal to `committed`. */
  async begin(): Promise<void> {
    await this.writing.command('PRAGMA wal_autocheckpoint = 0');
  }

  /** After every commit on the connection that writes, one that failed included. Never throws. */
  readonly committed = (): void => {
    // Nobody can be told, and the next commit tries again.
    void andCatch(
      () => this.moveIfDue(),
      () => undefined,
    );
  };

  private moveIfDue(): MaybePromise<unknown> {
    return andThen(this.writing.all<Journal>(LOOK), ([journal]) => {
      const pages = journal!.log - journal!.checkpointed;
      this.isBehind = this.moving !== undefined;
      if (pages < DUE || this.isHeld) return undefined;
      if (journal!.log >= FULL && !this.hasFailed) return this.holdWriters();
      if (this.moving) return undefined;
      return pages < MANY || this.hasFailed ? this.moveHere() : this.moveApart();
    });
  }

  private moveHere(): MaybePromise<unknown> {
    this.hasFailed = false;
    return moveJournal(this.writing);
  }

  private async holdWriters(): Promise<void> {
    this.isHeld = true;
    try {
      await this.whileIdle(async () => {
        await this.moving;
        await this.moveApart();
      });
    } finally {
      this.isHeld = false;
    }
  }

  private async moveApart(): Promise<void> {
    this.moving = this.processes
      .use((connection) => moveJournal(new ChildProcessConnection(connection, this.driver)))
      .catch(() => {
        // The journal must not grow for ever because no process can be started.
        this.hasFailed = true;
      });
    await this.moving;
    this.moving = undefined;
    if (this.isBehind) this.committed();
  }
}

/** Moves what no reader needs in the journal any more, without waiting for anybody. */
export function moveJournal(connection: SqliteConnection): Promise<void> {
  return connection.command('PRAGMA wal_checkpoint(PASSIVE)');
}
