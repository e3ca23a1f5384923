import pg, { type ClientBase, type Connection } from 'pg';
import type { SqlValue } from '../../kernel/fields/field-type.js';
import type { QueryConnection } from './postgres-query.js';
import { toWire } from './postgres-values.js';

/** A statement that its connection knows by a name. */
export interface KnownStatement {
  readonly name: string;
  readonly values: readonly SqlValue[];
}

/**
 * Statements that are a transaction of their own: the server begins and commits it by itself, as it does for all that
 * it is sent before it is asked to be ready for more.
 */
export class WholeTransaction extends pg.Query {
  private readonly changes: number[] = [];
  declare callback: (error?: unknown) => void;

  private constructor(
    private readonly statements: readonly KnownStatement[],
    done: (changes: readonly number[]) => void,
    failed: (error: unknown) => void,
  ) {
    // The driver prepares what has values.
    super('', ['']);
    this.callback = (error) => (error ? failed(error) : done(this.changes));
  }

  /** How many rows each statement has changed or given. Rejects with what the driver says of the one that failed. */
  static run(client: ClientBase, statements: readonly KnownStatement[]): Promise<readonly number[]> {
    return new Promise((resolve, reject) => {
      client.query(new WholeTransaction(statements, resolve, reject));
    });
  }

  prepare(connection: Connection): void {
    const to = connection as unknown as QueryConnection;
    for (const { name, values } of this.statements) {
      to.bind({ statement: name, values, valueMapper: toWire });
      to.execute({});
    }
    to.sync();
  }

  requiresPreparation(): boolean {
    return true;
  }

  handleDataRow(): void {}

  /** As `INSERT 0 1`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.changes.push(Number(text.split(' ').at(-1)) || 0);
  }

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}
