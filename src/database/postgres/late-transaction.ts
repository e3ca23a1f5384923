import type { CompiledSql } from '../compiled-sql.js';
import { DatabaseError } from '../database.error.js';
import type { StatementResult, TransactionConnection } from '../dialect.js';
import type { PostgresTransaction } from './postgres-transaction.js';

/**
 * A transaction that takes a connection with its first statement, or for its commit: until then nothing has to be
 * waited for, and what is done in it may be done in one go.
 */
export class LateTransaction implements TransactionConnection {
  private begun?: Promise<PostgresTransaction>;
  private transaction?: PostgresTransaction;
  private over = false;
  private deferred: CompiledSql[] = [];

  constructor(
    /** Begins it with what was deferred until then. */
    private readonly begin: (deferred: CompiledSql[]) => Promise<PostgresTransaction>,
    /** Commits what is one statement without beginning it; false when nothing was stored. */
    private readonly commitWhole: (statement: CompiledSql) => Promise<boolean>,
  ) {}

  get isAlive(): boolean {
    return !this.over && (this.transaction?.isAlive ?? true);
  }

  get isDoomed(): boolean {
    return this.transaction?.isDoomed ?? false;
  }

  get isBrokenByFailure(): boolean {
    return true;
  }

  readonly savepoints = {
    set: (name: string): void => this.defer({ sql: `SAVEPOINT ${name}`, params: [] }),
    release: (name: string): void => {
      if (this.transaction) return this.transaction.savepoints.release(name);
      if (this.deferred.at(-1)?.sql === `SAVEPOINT ${name}`) this.deferred.pop();
      else this.defer({ sql: `RELEASE ${name}`, params: [] });
    },
  };

  async execute<Row>(statement: CompiledSql): Promise<StatementResult<Row>> {
    return (await this.real()).execute<Row>(statement);
  }

  defer(statement: CompiledSql): void {
    if (this.transaction) return this.transaction.defer(statement);
    if (!this.isAlive) throw new DatabaseError('transactionOver', 'The transaction is over.');
    this.deferred.push(statement);
  }

  async lock(name: string): Promise<void> {
    await (await this.real()).lock(name);
  }

  async becomeExclusive(): Promise<void> {
    await (await this.real()).becomeExclusive();
  }

  async readWithinBudget<Row>(statement: CompiledSql): Promise<Row[] | undefined> {
    return (await this.real()).readWithinBudget<Row>(statement);
  }

  async commit(committed: () => void): Promise<void> {
    const [statement, ...others] = this.deferred;
    if (!this.begun && statement && others.length === 0 && (await this.commitWhole(statement))) {
      this.over = true;
      return committed();
    }
    if (this.begun || this.deferred.length > 0) return (await this.real()).commit(committed);
    this.over = true;
    committed();
  }

  async rollback(): Promise<void> {
    const { begun } = this;
    this.over = true;
    await begun?.then(
      (transaction) => transaction.rollback(),
      () => undefined,
    );
  }

  private real(): Promise<PostgresTransaction> {
    if (!this.isAlive) throw new DatabaseError('transactionOver', 'The transaction is over.');
    this.begun ??= this.begin(this.deferred).then((transaction) => (this.transaction = transaction));
    return this.begun;
  }
}
