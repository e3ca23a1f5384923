import { DatabaseError } from '../database.error.js';
import { splitStatements, statementKind } from '../sqlite/sqlite-text.js';

/**
 * Throws a DatabaseError when a text given by a person ends the transaction around it or reaches the server's files and
 * programs. What a role may do is the server's to decide; this is for those that may do too much.
 */
export function requireHarmless(text: string): void {
  const statements = splitStatements(text);
  if (statements.length === 0) throw new DatabaseError('refused', 'There is no statement to run.');
  for (const statement of statements) {
    if (statementKind(statement) === 'transaction' || /^\s*(START|PREPARE\s+TRANSACTION|ABORT)\b/i.test(statement)) {
      throw new DatabaseError('refused', 'Statements that control a transaction are not allowed.');
    }
    if (
      /^\s*(COPY|LOAD|DO|SET|RESET|LISTEN|ALTER\s+SYSTEM)\b|\b(pg_read_|pg_write_|lo_import|lo_export|dblink)/i.test(
        statement,
      )
    ) {
      throw new DatabaseError('refused', 'COPY, LOAD, DO, SET and functions that reach files are not allowed.');
    }
  }
}
