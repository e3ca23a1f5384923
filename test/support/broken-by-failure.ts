import { vi } from 'vitest';
import { DatabaseError } from '../../src/database/database.error.js';
import { SqliteTransaction } from '../../src/database/sqlite/sqlite-transaction.js';
import { andCatch } from '../../src/kernel/maybe-promise.js';

/**
 * From now on, until mocks are restored, a failed statement lets all others of its transaction fail until a savepoint
 * is rolled back to: as PostgreSQL has it.
 */
export function breakTransactionsByFailures(): void {
  const { execute } = SqliteTransaction.prototype;
  const broken = new WeakSet<SqliteTransaction>();
  vi.spyOn(SqliteTransaction.prototype, 'isBrokenByFailure', 'get').mockReturnValue(true);
  vi.spyOn(SqliteTransaction.prototype, 'execute').mockImplementation(function (this: SqliteTransaction, statement) {
    if (statement.sql.startsWith('ROLLBACK TO')) broken.delete(this);
    else if (broken.has(this)) throw new DatabaseError('other', 'The transaction is broken by an earlier failure.');
    return andCatch(
      () => execute.call(this, statement) as never,
      (error) => {
        broken.add(this);
        throw error;
      },
    );
  });
}
