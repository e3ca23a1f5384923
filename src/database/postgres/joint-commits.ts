import type { PoolClient } from 'pg';
import type { CompiledSql } from '../compiled-sql.js';
import { type DefinitionsLock, LOCK_DEFINITIONS_SHARED } from './definitions-lock.js';
import { needsOtherConnection, isOutdatedPlan, translatePostgresError } from './postgres-errors.js';
import { requireChange } from './postgres-statement.js';
import type { StatementNames } from './statement-names.js';
import { type KnownStatement, WholeTransaction } from './whole-transaction.js';

/** None of them has to wait for more than this many others. */
const MOST_TOGETHER = 64;
/** Characters of values after which no more are sent along. */
const MOST_TEXT = 1_000_000;

interface WaitingCommit {
  readonly statement: CompiledSql;
  /** How often definitions had changed when it was judged. */
  readonly changes: number;
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: unknown) => void;
}

interface Outcome {
  /** Whether the connection cannot be used any more. */
  readonly isBroken: boolean;
  readonly undone: readonly WaitingCommit[];
}

interface Dependencies {
  readonly connect: () => Promise<PoolClient>;
  readonly definitions: DefinitionsLock;
  readonly names: StatementNames;
  /** Others have to hear that something was committed. */
  readonly wrote: () => void;
}

/**
 * Transactions of one statement each that are to be committed in one turn of the event loop, as those of requests that
 * arrive at about the same time: the server stores all of them in one transaction (group commit). To take a connection,
 * to wake the server and be woken by it, to begin and to commit cost several times what such a statement does.
 *
 * A statement that is refused undoes those that went with it: then each is done again in a transaction of its own, by
 * its caller. One that may have to wait for another transaction goes alone, so that nobody waits behind it, and so that
 * two such groups cannot wait for each other.
 */
export class JointCommits {
  private readonly waiting: WaitingCommit[] = [];

  constructor(private readonly around: Dependencies) {}

  /**
   * Runs a statement as a whole transaction that was judged when definitions had changed so many times. False when
   * nothing was stored and nothing is wrong with it: it is to be done by itself.
   */
  commit(statement: CompiledSql, changes: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const commit: WaitingCommit = { statement, changes, resolve, reject };
      if (!statement.neverWaits) return void this.send(() => [commit]);
      this.waiting.push(commit);
      if (this.waiting.length === 1) this.sendSoon();
    });
  }

  private sendSoon(): void {
    setImmediate(() => void this.send(() => this.next()));
  }

  /** With those that have come while a connection was waited for. */
  private next(): readonly WaitingCommit[] {
    let text = 0;
    let count = 0;
    for (const { statement } of this.waiting) {
      if (count === MOST_TOGETHER || text > MOST_TEXT) break;
      text += lengthOf(statement);
      count++;
    }
    const commits = this.waiting.splice(0, count);
    if (this.waiting.length > 0) this.sendSoon();
    return commits;
  }

  private async send(take: () => readonly WaitingCommit[]): Promise<void> {
    const { connect, definitions, names } = this.around;
    let client: PoolClient;
    try {
      client = await connect();
    } catch (error) {
      for (const { reject } of take()) reject(error);
      return;
    }
    const begins = await definitions.share();
    const { isBroken, undone } = await this.run(client, take());
    begins();
    client.release(isBroken || names.areOutdated(client));
    // The first of them gets this connection, which learns its statement thereby.
    for (const { resolve } of undone) resolve(false);
  }

  private async run(client: PoolClient, commits: readonly WaitingCommit[]): Promise<Outcome> {
    const { names, wrote } = this.around;
    const lock = knownTo(client, LOCK_DEFINITIONS_SHARED, names);
    const undone: WaitingCommit[] = [];
    const sent: WaitingCommit[] = [];
    const statements: KnownStatement[] = [];
    for (const commit of commits) {
      const known = lock && this.isCurrent(commit) && knownTo(client, commit.statement, names);
      if (!known) undone.push(commit);
      else {
        sent.push(commit);
        statements.push(known);
      }
    }
    if (!lock || sent.length === 0) return { isBroken: false, undone };
    try {
      const [, ...changes] = await WholeTransaction.run(client, [lock, ...statements]);
      wrote();
      sent.forEach((commit, at) => settle(commit, changes[at]!));
      return { isBroken: false, undone };
    } catch (failure) {
      const error = translatePostgresError(failure);
      if (isOutdatedPlan(error)) names.forget();
      const isBroken = needsOtherConnection(error);
      // What the server did not refuse itself may have been committed, and is not to be done twice.
      if (sent.length === 1 || isBroken) for (const { reject } of sent) reject(error);
      else undone.push(...sent);
      return { isBroken, undone };
    }
  }

  private isCurrent({ changes }: WaitingCommit): boolean {
    return changes === this.around.definitions.changes;
  }
}

function settle({ statement, resolve, reject }: WaitingCommit, changes: number): void {
  try {
    requireChange(statement, changes);
    resolve(true);
  } catch (error) {
    reject(error);
  }
}

/** The statement by the name that the connection knows it by. */
function knownTo(client: PoolClient, { sql, params }: CompiledSql, names: StatementNames): KnownStatement | undefined {
  const named = names.known(client, sql);
  return named && { name: named.name, values: params };
}

/** In characters, which is about what it takes to keep it until it is sent. */
function lengthOf({ params }: CompiledSql): number {
  let length = 0;
  for (const value of params) if (typeof value === 'string') length += value.length;
  return length;
}
