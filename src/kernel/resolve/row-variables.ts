import type { SqlJoin, SqlNode, SqlSelect, SqlSource } from '../sql/sql-node.js';
import { and } from '../sql/sql.js';

/**
 * Aliases for the rows of one statement. They hold a blank, which no collection name can, so that they never hide a
 * table; and they are numbered in order, so that the same expression always gives the same text.
 */
export class Aliases {
  private last = 0;

  next(word: string): string {
    return `${word} ${++this.last}`;
  }
}

/** How a row variable is joined. */
export interface RowLink {
  readonly source: (alias: string) => SqlSource;
  /** Absent: every row of the source is offered. */
  readonly on?: (alias: string) => SqlNode;
  /** What a row must pass to count (GRD-4). */
  readonly guard?: (alias: string) => SqlNode;
}

/**
 * The row variables of one expression or value set (MM-2): one per distinct path prefix or `@collection` alias. A
 * path without rows offers one row of NULLs.
 */
export class RowVariables {
  private readonly aliasByPath = new Map<string, string>();
  private readonly joins: SqlJoin[] = [];
  private readonly guards: SqlNode[] = [];

  constructor(private readonly aliases: Aliases) {}

  get size(): number {
    return this.joins.length;
  }

  /** The alias of the variable for the path, which is made at its first mention. */
  alias(path: string, link: RowLink): string {
    const known = this.aliasByPath.get(path);
    if (known !== undefined) return known;
    const alias = this.aliases.next('row');
    this.aliasByPath.set(path, alias);
    this.joins.push({ kind: 'left', source: link.source(alias), on: link.on?.(alias) });
    if (link.guard) this.guards.push(link.guard(alias));
    return alias;
  }

  /** True when some choice of rows makes the formula true; without variables just the formula. */
  exists(formula: SqlNode): SqlNode {
    if (this.joins.length === 0) return formula;
    return { kind: 'exists', query: { ...this.rows(formula), columns: [] } };
  }

  /** The values of an expression over all choices of rows. */
  values(value: SqlNode, condition?: SqlNode): SqlSelect {
    return { ...this.rows(condition), columns: [{ value, as: 'value' }] };
  }

  private rows(condition?: SqlNode): Omit<SqlSelect, 'columns'> {
    const where = condition ? [...this.guards, condition] : this.guards;
    return {
      kind: 'select',
      from: { kind: 'oneRow', as: this.aliases.next('row') },
      joins: this.joins,
      where: where.length ? and(...where) : undefined,
    };
  }
}
