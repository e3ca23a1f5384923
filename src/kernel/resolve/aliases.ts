import { columnsRead } from '../sql/columns-read.js';
import type { SqlNode } from '../sql/sql-node.js';

/**
 * Aliases for the rows of one statement. They hold a blank, which no collection name can, so that they never hide a
 * table; and they are numbered in order, so that the same expression always gives the same text.
 */
export class Aliases {
  private readonly given = new Set<string>();

  next(word: string): string {
    const alias = `${word} ${this.given.size + 1}`;
    this.given.add(alias);
    return alias;
  }

  /** Does an expression read rows that were given an alias here, in a query inside it as well? */
  areReadBy(node: SqlNode): boolean {
    for (const { alias } of columnsRead(node)) if (this.given.has(alias)) return true;
    return false;
  }
}
