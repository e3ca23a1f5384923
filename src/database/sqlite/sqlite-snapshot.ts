import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type { StatementResult, TransactionConnection } from '../dialect.js';
import type { SqliteConnection } from './sqlite-driver.js';

/** A read-only transaction on the state of one commit, with a connection of its own. */
export class SqliteSnapshot implements TransactionConnection {
  readonly isBrokenByFailure = false;
  private over = false;

  constructor(private readonly connection: SqliteConnection) {}

  get isAlive(): boolean {
    return !this.over;
  }

  execute<Row>(statement: CompiledSql): MaybePromise<StatementResult<Row>> {
    if (this.over) throw new DatabaseError('transactionOver', 'The transaction is over.');
    return this.connection.execute<Row>(statement);
  }

  async readWithinBudget<Row>(statement: CompiledSql): Promise<Row[]> {
    return (await this.execute<Row>(statement)).rows;
  }

  async commit(committed: () => void): Promise<void> {
    await this.rollback();
    committed();
  }

  /** Closing the connection ends its transaction. */
  async rollback(): Promise<void> {
    if (this.over) return;
    this.over = true;
    await this.connection.close();
  }
}
