import type { ViewExpression } from './view-expression.js';

/** A column of a table or view; `*` for any of its columns, and for any table. */
export interface TableColumn {
  readonly table: string;
  readonly column: string;
}

/** What a column shows, as far as its type depends on it: all names are resolved. */
export type ViewColumnOrigin =
  | { readonly kind: 'column'; readonly of: TableColumn }
  /** A column of a compound: what it is in each SELECT, the one that decides first. */
  | { readonly kind: 'compound'; readonly arms: readonly ViewColumnOrigin[] }
  | { readonly kind: 'oneOf'; readonly values: readonly ViewColumnOrigin[] }
  | Exclude<ViewExpression, { kind: 'path' | 'query' | 'oneOf' }>;

/** One column of a view. */
export interface ViewColumn {
  readonly origin: ViewColumnOrigin;
  /** Every column of a table or view that is read to make it, wherever in its expression (COL-134). */
  readonly reads: readonly TableColumn[];
  /** Names that it reads and that could not be resolved; `*` when not even the name is known. */
  readonly unknown: readonly string[];
}

/** Whose type nothing is known of. */
export const OTHER: ViewColumnOrigin = { kind: 'other' };

/** A column of a table, a SELECT or the like. Its sources may come to include itself, in a recursive WITH. */
export class Column {
  readonly sources = new Set<Column>();
  private unknown: string | undefined;

  constructor(
    readonly name: string | undefined,
    public origin: ViewColumnOrigin = OTHER,
    private readonly table?: TableColumn,
  ) {}

  /** A column that is made of others. */
  static of(sources: Iterable<Column>, name?: string, origin?: ViewColumnOrigin): Column {
    const column = new Column(name, origin);
    column.add(sources);
    return column;
  }

  static unknown(name: string): Column {
    const column = new Column(undefined);
    column.unknown = name;
    return column;
  }

  static ofTable(table: string, name: string): Column {
    const of = { table, column: name };
    return new Column(name, { kind: 'column', of }, of);
  }

  add(sources: Iterable<Column>): void {
    for (const source of sources) this.sources.add(source);
  }

  as(name: string | undefined): Column {
    return Column.of([this], name, this.origin);
  }

  /** Makes it show what another one shows, too. */
  unite(other: Column): void {
    this.add([other]);
    const arms = this.origin.kind === 'compound' ? this.origin.arms : [this.origin];
    this.origin = { kind: 'compound', arms: [...arms, other.origin] };
  }

  isNamed(name: string): boolean {
    return this.name?.toLowerCase() === name.toLowerCase();
  }

  trace(): Pick<ViewColumn, 'reads' | 'unknown'> {
    const seen = new Set<Column>([this]);
    for (const column of seen) for (const source of column.sources) seen.add(source);
    const all = [...seen];
    return { reads: all.flatMap(({ table }) => table ?? []), unknown: all.flatMap(({ unknown }) => unknown ?? []) };
  }
}

/** A column that could not be traced. */
export const UNKNOWN = Column.unknown('*');

export const ANYTHING = Column.ofTable('*', '*');
