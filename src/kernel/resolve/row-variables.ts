import type { SqlJoin, SqlNode, SqlSelect, SqlSource } from '../sql/sql-node.js';
import { and, termsOf, TRUE } from '../sql/sql.js';
import type { Aliases } from './aliases.js';

/** How a row variable is joined. */
export interface RowLink {
  readonly source: (alias: string) => SqlSource;
  /** Absent: every row of the source is offered. Asked when all variables are known. */
  readonly on?: (alias: string) => SqlNode;
  /** What a row must pass to count (GRD-4). */
  readonly guard?: (alias: string) => SqlNode;
  /** The path of a variable whose link may refer to this one. */
  readonly before?: string;
}

interface RowVariable extends RowLink {
  readonly path: string;
  readonly alias: string;
}

/**
 * The row variables of one expression or value set (MM-2): one per distinct path prefix or `@collection` alias. A
 * path without rows offers one row of NULLs.
 */
export class RowVariables {
  private readonly variables: RowVariable[] = [];

  constructor(private readonly aliases: Aliases) {}

  get size(): number {
    return this.variables.length;
  }

  /** The alias of the variable for the path, undefined when nothing mentioned it yet. */
  find(path: string): string | undefined {
    return this.variables.find((variable) => variable.path === path)?.alias;
  }

  /** The alias of the variable for the path, which is made at its first mention. */
  alias(path: string, link: RowLink): string {
    const known = this.find(path);
    if (known !== undefined) return known;
    const alias = this.aliases.next('row');
    const later = this.variables.findIndex((variable) => variable.path === link.before);
    this.variables.splice(later === -1 ? this.variables.length : later, 0, { ...link, path, alias });
    return alias;
  }

  /**
   * True when some choice of rows makes the formula true; without variables just the formula. What it demands of the
   * record alone stands beside the query for the rows, where an index can serve it.
   */
  exists(formula: SqlNode): SqlNode {
    if (this.variables.length === 0) return formula;
    const terms = termsOf(formula);
    const ofRows = terms.filter((term) => this.aliases.areReadBy(term));
    const ofRecord = terms.filter((term) => !ofRows.includes(term));
    return and(...ofRecord, { kind: 'exists', query: { ...this.rows(and(...ofRows)), columns: [] } });
  }

  /** The values of an expression over all choices of rows. */
  values(value: SqlNode, condition?: SqlNode): SqlSelect {
    return { ...this.rows(condition), columns: [{ value, as: 'value' }] };
  }

  private rows(condition?: SqlNode): Omit<SqlSelect, 'columns'> {
    const joins = this.variables.map(({ alias, source, on }): SqlJoin => ({
      kind: 'left',
      source: source(alias),
      on: on?.(alias),
    }));
    const guards = this.variables.flatMap(({ alias, guard }) => (guard ? [guard(alias)] : []));
    const where = condition ? and(...guards, condition) : and(...guards);
    return {
      kind: 'select',
      from: { kind: 'oneRow', as: this.aliases.next('row') },
      joins,
      where: where === TRUE ? undefined : where,
    };
  }
}
