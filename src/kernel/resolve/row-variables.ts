import type { SqlJoin, SqlNode, SqlSelect, SqlSource } from '../sql/sql-node.js';
import { and, TRUE } from '../sql/sql.js';
import type { Aliases } from './aliases.js';
import { type JoinedRow, RowChoice } from './row-choice.js';

/** How a row variable is joined. */
export interface RowLink {
  readonly source: (alias: string) => SqlSource;
  /** The condition of the join; absent for every row. Called when all variables are known. */
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

  /** True when some choice of rows makes the formula true; without variables just the formula. */
  exists(formula: SqlNode): SqlNode {
    if (this.variables.length === 0) return formula;
    const rows = this.variables.map((variable): JoinedRow => {
      const { alias, guard } = variable;
      return { alias, join: joinOf(variable), guard: guard?.(alias) };
    });
    return new RowChoice(rows, (joins, where) => ({ ...this.select(joins, where), columns: [] })).exists(formula);
  }

  /** The values of an expression over all choices of rows. */
  values(value: SqlNode, condition: SqlNode = TRUE): SqlSelect {
    const guards = this.variables.flatMap(({ alias, guard }) => (guard ? [guard(alias)] : []));
    const where = and(...guards, condition);
    const select = this.select(this.variables.map(joinOf), where === TRUE ? undefined : where);
    return { ...select, columns: [{ value, as: 'value' }] };
  }

  private select(joins: readonly SqlJoin[], where: SqlNode | undefined): SqlSelect {
    return { kind: 'select', columns: [], from: { kind: 'oneRow', as: this.aliases.next('row') }, joins, where };
  }
}

function joinOf({ alias, source, on }: RowVariable): SqlJoin {
  return { kind: 'left', source: source(alias), on: on?.(alias) };
}
