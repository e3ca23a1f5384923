import { columnsRead } from '../sql/columns-read.js';
import type { SqlJoin, SqlNode, SqlSelect } from '../sql/sql-node.js';
import { and, or, termsOf, TRUE } from '../sql/sql.js';

/** A row variable with everything it is joined by. */
export interface JoinedRow {
  readonly alias: string;
  readonly join: SqlJoin;
  /** What a row must pass to count (GRD-4): with it, there may be no row to choose. */
  readonly guard?: SqlNode;
}

type Rows = ReadonlySet<JoinedRow>;

const NO_ROWS: Rows = new Set();

/** Terms that have to be true of the same choice, and the rows they are about. */
interface Group {
  readonly terms: SqlNode[];
  readonly rows: Set<JoinedRow>;
}

/**
 * Decides whether some choice of related rows makes a formula true (MM-2), with one EXISTS for each set of terms that
 * share rows, as far inside as possible. Terms without common rows become separate subqueries, which read their own
 * rows only instead of the product of all.
 */
export class RowChoice {
  private readonly byAlias: ReadonlyMap<string, JoinedRow>;
  /** For each row those its join refers to, and those they refer to. */
  private readonly ancestors = new Map<JoinedRow, Rows>();
  private readonly read = new Map<SqlNode, Rows>();

  /** The rows in an order in which each refers to earlier ones only. */
  constructor(
    private readonly rows: readonly JoinedRow[],
    private readonly select: (joins: readonly SqlJoin[], where?: SqlNode) => SqlSelect,
  ) {
    this.byAlias = new Map(rows.map((row) => [row.alias, row]));
    for (const row of rows) {
      const parents = this.rowsOf(joinColumns(row.join));
      parents.delete(row);
      const all = new Set(parents);
      for (const parent of parents) for (const ancestor of this.ancestors.get(parent) ?? []) all.add(ancestor);
      this.ancestors.set(row, all);
    }
  }

  exists(formula: SqlNode): SqlNode {
    return this.someChoice(formula, new Set(this.rows));
  }

  /** True when some choice of these rows makes the formula true; all other rows are already chosen. */
  private someChoice(formula: SqlNode, open: Rows): SqlNode {
    if (open.size === 0) return formula;
    if (formula.kind === 'or') return this.someAlternative(formula.terms, open);
    const terms = termsOf(formula);
    const settled = terms.filter((term) => this.needs(term, open).size === 0);
    const groups = this.connected(
      terms.filter((term) => !settled.includes(term)),
      open,
    );
    const asked = groups.map((group) => this.ask(group));
    const left = [...open].filter((row) => !groups.some(({ rows }) => rows.has(row)));
    return and(...settled, ...asked, this.haveRows(left, open));
  }

  /** One of several alternatives, each with a choice of its own. */
  private someAlternative(terms: readonly SqlNode[], open: Rows): SqlNode {
    const needs = terms.map((term) => this.needs(term, open));
    const alternatives: SqlNode[] = terms.filter((_, index) => needs[index]!.size === 0);
    for (const { terms: similar, rows } of this.similar(terms, needs)) {
      alternatives.push(similar.length > 1 ? this.choose(rows, or(...similar)) : this.someChoice(similar[0]!, rows));
    }
    // A row that an alternative does not use must exist nevertheless.
    const ignored = [...open].filter((row) => !needs.every((rows) => rows.has(row)));
    return and(this.haveRows(ignored, open), or(...alternatives));
  }

  private ask({ terms, rows }: Group): SqlNode {
    const [only] = terms;
    if (terms.length === 1)
      return only!.kind === 'or' ? this.someAlternative(only!.terms, rows) : this.choose(rows, only!);
    const needs = terms.map((term) => this.needs(term, rows));
    const shared = new Set([...rows].filter((row) => needs.filter((each) => each.has(row)).length > 1));
    const inside = terms.map((term, index) => this.someChoice(term, without(needs[index]!, shared)));
    return this.choose(shared, and(...inside));
  }

  /**
   * Those of the open rows a term is about: what it reads, what that is joined to, and what is guarded behind those.
   */
  private needs(term: SqlNode, open: Rows): Set<JoinedRow> {
    const needed = new Set<JoinedRow>();
    for (const row of this.rowsRead(term)) {
      for (const each of [row, ...this.ancestors.get(row)!]) if (open.has(each)) needed.add(each);
    }
    if (needed.size === 0) return needed;
    for (const row of open) {
      if (!row.guard || needed.has(row)) continue;
      const before = [...this.ancestors.get(row)!].filter((each) => open.has(each));
      if (before.some((each) => needed.has(each))) for (const each of [row, ...before]) needed.add(each);
    }
    return needed;
  }

  private rowsRead(node: SqlNode): Rows {
    let rows = this.read.get(node);
    if (!rows) this.read.set(node, (rows = this.rowsOf(columnsRead(node))));
    return rows;
  }

  private rowsOf(columns: Iterable<{ readonly alias: string }>): Set<JoinedRow> {
    const rows = new Set<JoinedRow>();
    for (const { alias } of columns) {
      const row = this.byAlias.get(alias);
      if (row) rows.add(row);
    }
    return rows;
  }

  /** Terms that share rows, also by way of others. */
  private connected(terms: readonly SqlNode[], open: Rows): Group[] {
    let groups: Group[] = [];
    for (const term of terms) {
      const joined: Group = { terms: [], rows: this.needs(term, open) };
      const separate: Group[] = [];
      for (const group of groups) {
        if (!overlap(group.rows, joined.rows)) {
          separate.push(group);
          continue;
        }
        joined.terms.push(...group.terms);
        for (const row of group.rows) joined.rows.add(row);
      }
      joined.terms.push(term);
      groups = [...separate, joined];
    }
    return groups;
  }

  /** Alternatives about the very same rows are one question, unless parts of them are about fewer. */
  private similar(terms: readonly SqlNode[], needs: readonly Rows[]): Group[] {
    const groups: Group[] = [];
    terms.forEach((term, index) => {
      const rows = needs[index]!;
      if (rows.size === 0) return;
      const whole = this.isWhole(term, rows);
      const group = whole && groups.find((each) => equal(each.rows, rows) && this.isWhole(each.terms[0]!, rows));
      if (group) group.terms.push(term);
      else groups.push({ terms: [term], rows: new Set(rows) });
    });
    return groups;
  }

  private isWhole(term: SqlNode, rows: Rows): boolean {
    if (term.kind !== 'and' && term.kind !== 'or') return true;
    return term.terms.every((each) => equal(this.needs(each, rows), rows) && this.isWhole(each, rows));
  }

  /** The condition that each guarded row has one that passes its guard; all other rows always exist. */
  private haveRows(rows: readonly JoinedRow[], open: Rows): SqlNode {
    const groups: Group[] = [];
    for (const row of rows) {
      if (!row.guard) continue;
      const chain = new Set([row, ...[...this.ancestors.get(row)!].filter((each) => open.has(each))]);
      const known = groups.find((group) => overlap(group.rows, chain));
      if (known) for (const each of chain) known.rows.add(each);
      else groups.push({ terms: [], rows: chain });
    }
    return and(...groups.map((group) => this.choose(group.rows, TRUE)));
  }

  private choose(chosen: Rows, formula: SqlNode): SqlNode {
    if (chosen.size === 0) return formula;
    const rows = this.rows.filter((row) => chosen.has(row));
    const where = and(...rows.flatMap(({ guard }) => guard ?? []), formula);
    const query = this.select(
      rows.map(({ join }) => join),
      where === TRUE ? undefined : where,
    );
    return { kind: 'exists', query };
  }
}

function* joinColumns({ source, on }: SqlJoin): Generator<{ readonly alias: string }> {
  if (source.kind === 'items') yield* columnsRead(source.of);
  if (on) yield* columnsRead(on);
}

function overlap(some: Rows, others: Rows): boolean {
  for (const row of some) if (others.has(row)) return true;
  return false;
}

function equal(some: Rows, others: Rows): boolean {
  return some.size === others.size && [...some].every((row) => others.has(row));
}

function without(rows: Rows, left: Rows): Rows {
  const rest = [...rows].filter((row) => !left.has(row));
  return rest.length === 0 ? NO_ROWS : new Set(rest);
}
