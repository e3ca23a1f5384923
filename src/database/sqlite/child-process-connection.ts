import type { CompiledSql } from '../compiled-sql.js';
import type { StatementResult } from '../dialect.js';
import type { KillableConnection } from './killable-connection.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.js';

/** A connection in a child process. Its statements do not block this process, however long they take. */
export class ChildProcessConnection implements SqliteConnection {
  constructor(
    private readonly remote: KillableConnection,
    private readonly driver: SqliteDriver,
  ) {}

  async all<Row>(statement: CompiledSql): Promise<Row[]> {
    return (await this.execute<Row>(statement)).rows;
  }

  async execute<Row>({ sql, params }: CompiledSql): Promise<StatementResult<Row>> {
    const native = params.map((value) => this.driver.toNative(value));
    const { result } = await this.remote.request<StatementResult<Row>>({ kind: 'execute', sql, params: native });
    return result;
  }

  async command(sql: string): Promise<void> {
    await this.execute({ sql, params: [] });
  }

  /** A transaction ends with its process, so there is none once that was killed. */
  async inTransaction(): Promise<boolean> {
    if (!this.remote.isAlive) return false;
    return (await this.remote.request<boolean>({ kind: 'inTransaction' })).result;
  }

  close(): Promise<void> {
    return this.remote.kill();
  }
}
