import type { NamedQuery } from './sql-tree.js';
import { ROW_IDS } from './sql-words.js';
import { Column, UNKNOWN } from './view-column.js';

/** What can stand in a FROM. */
export class Relation {
  columns: Column[] = [];
  /** What a name may stand for that is none of the columns; undefined when all columns are known. */
  others: ((name: string) => readonly Column[]) | undefined;
  /** Whether the columns are in the order of the database; after a star that is unknown. */
  isOrdered = true;
  /** What the conditions that choose the rows read. */
  readonly conditions = new Column(undefined);

  static ofTable(table: string, names: readonly string[] | undefined): Relation {
    const relation = new Relation();
    relation.columns = (names ?? []).map((name) => Column.ofTable(table, name));
    if (!names) relation.others = (name) => [Column.ofTable(table, name)];
    return relation;
  }

  static unknown(): Relation {
    const relation = new Relation();
    relation.others = () => [UNKNOWN];
    return relation;
  }

  all(): readonly Column[] {
    return [...this.columns, ...this.othersNamed('*')];
  }

  othersNamed(name: string): readonly Column[] {
    return this.others?.(name) ?? [];
  }

  addOthers(more: (name: string) => readonly Column[]): void {
    const { others } = this;
    this.others = others ? (name) => [...others(name), ...more(name)] : more;
  }

  /** Adds what a star shows of these. */
  addAll(sources: readonly Source[]): void {
    this.isOrdered = false;
    for (const { relation } of sources) {
      this.columns.push(...relation.columns);
      if (relation.others) this.addOthers(relation.others);
    }
  }

  /** Adds the rows of another SELECT to a compound. */
  unite(arm: Relation): void {
    this.conditions.add([arm.conditions]);
    if (this.fits(arm.columns.length) && arm.fits(this.columns.length)) {
      for (const [at, column] of this.columns.entries()) column.unite(arm.columns[at]!);
    } else {
      const all = arm.all();
      for (const column of this.columns) column.add(all);
      if (this.others) this.addOthers(() => all);
    }
  }

  /** Whether it is known to have exactly so many columns, in a known order. */
  fits(count: number): boolean {
    return this.isOrdered && this.columns.length === count;
  }

  named(name: string): readonly Column[] {
    const named = this.columns.filter((column) => column.isNamed(name));
    // A column without an alias is named by its text, which two columns may share.
    return named.length === 0 || /^\w+$/.test(name) ? named : [...named, ...this.othersNamed(name)];
  }
}

export interface Source {
  readonly alias: string;
  readonly relation: Relation;
}

/** A named query of a WITH. It is read when it is first used, because the order is free. */
export interface Named {
  readonly query: NamedQuery;
  readonly scope: Scope;
  relation?: Relation;
}

/** The names that hold at some place of a query. */
export class Scope {
  readonly sources: Source[] = [];
  readonly named = new Map<string, Named>();
  /** Columns of a SELECT under the names it gives them, which its conditions may use. */
  results: readonly Column[] = [];
  /** Whether joins merge columns of several sources into one. */
  merges = false;
  /** What the windows of a SELECT read that have names. */
  windows: readonly Column[] = [];

  /** This one and all around it. */
  private readonly outwards: readonly Scope[];

  constructor(readonly outer?: Scope) {
    this.outwards = [this, ...(outer?.outwards ?? [])];
  }

  findNamed(name: string): Named | undefined {
    return this.named.get(name.toLowerCase()) ?? this.outer?.findNamed(name);
  }

  /** The columns a name may stand for, the likeliest first; undefined when there is none. */
  find(path: readonly string[]): readonly Column[] | undefined {
    const name = path.at(-1)!;
    const alias = path.at(-2)?.toLowerCase();
    const found: Column[] = [];
    let isAlias = alias === undefined;
    for (const scope of this.outwards) {
      const sources = scope.sources.filter((source) => alias === undefined || source.alias.toLowerCase() === alias);
      isAlias ||= sources.length > 0;
      const certain = sources.flatMap(({ relation }) => relation.named(name));
      found.push(...certain);
      if (certain.length === 0 || scope.merges)
        found.push(...sources.flatMap(({ relation }) => relation.othersNamed(name)));
      if (alias === undefined) found.push(...scope.results.filter((column) => column.isNamed(name)));
      if (certain.length > 0) return found;
    }
    const isRowId = isAlias && ROW_IDS.includes(name.toLowerCase());
    return found.length > 0 || isRowId ? found : undefined;
  }

  /**
   * The columns of the row that a name without a column may stand for: `t` and `schema.t` are the whole row in
   * PostgreSQL, and `t.f` is what the function gives for it.
   */
  rowOf(path: readonly string[]): readonly Column[] {
    const names = path.slice(-2).map((name) => name.toLowerCase());
    return this.outwards.flatMap(({ sources }) =>
      sources.filter(({ alias }) => names.includes(alias.toLowerCase())).flatMap(({ relation }) => relation.all()),
    );
  }

  /** The sources that `*` or `t.*` stands for. */
  starred(alias: string | undefined): readonly Source[] {
    if (alias === undefined) return this.sources;
    const sources = this.sources.filter((source) => source.alias.toLowerCase() === alias.toLowerCase());
    return sources.length > 0 ? sources : [{ alias, relation: Relation.unknown() }];
  }
}
