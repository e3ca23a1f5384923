import fc, { type GeneratorValue } from 'fast-check';

/** Tables to read, by name, with their columns. */
export type Tables = Readonly<Record<string, readonly string[]>>;

/** Something in a FROM, or around it. */
interface Source {
  readonly alias: string;
  readonly columns: readonly string[];
}

interface Query {
  readonly sql: string;
  readonly columns: readonly string[];
}

/** How one database spells what these queries consist of. */
interface Words {
  readonly functions: readonly string[];
  readonly ofTwo: readonly string[];
  readonly overWindow: readonly string[];
  readonly texts: readonly string[];
  readonly differs: string;
  tables(name: string): readonly string[];
  columns(name: string): readonly string[];
  object(value: string): string;
  items(value: string): string;
  collated(value: string): string;
}

const SQLITE: Words = {
  functions: ['upper', 'lower', 'trim', 'TRIM', 'hex', 'length'],
  ofTwo: ['coalesce', 'ifnull', 'max', 'min'],
  overWindow: ['max', 'min', 'group_concat', 'count'],
  texts: ['text', 'TEXT', 'varchar(9)'],
  differs: 'IS NOT',
  tables: (name) => [name, `"${name}"`, `main.${name.toUpperCase()}`],
  columns: (name) => [name, `[${name}]`, `'${name}'`, name.toUpperCase()],
  object: (value) => `json_object('k', ${value})`,
  items: (value) => `(SELECT group_concat(j.value) FROM json_each(json_array(${value})) j)`,
  collated: (value) => `${value} COLLATE NOCASE`,
};

/** With the functions that stand for those of SQLite, and its own. */
const POSTGRES: Words = {
  functions: ['upper', 'lower', 'trim', 'TRIM', 'md5', 'length', 'reverse', 'quote_literal', 'to_jsonb'],
  ofTwo: ['coalesce', 'ifnull', 'greatest', 'least', 'concat'],
  overWindow: ['max', 'min', 'group_concat', 'count', 'array_agg', 'jsonb_agg'],
  texts: ['text', 'TEXT', 'varchar(9)'],
  differs: 'IS DISTINCT FROM',
  tables: (name) => [name, `"${name}"`, `public.${name.toUpperCase()}`],
  columns: (name) => (/[A-Z]/.test(name) ? [`"${name}"`] : [name, `"${name}"`, name.toUpperCase()]),
  object: (value) => `jsonb_build_object('k', ${value})`,
  items: (value) => `(SELECT group_concat(j.value) FROM json_each(jsonb_build_array(${value})) j)`,
  collated: (value) => `${value} COLLATE "C"`,
};

/** Queries for views over some tables, in as many forms as values can take on their way through SQL. */
export function viewQueries(tables: Tables, database: 'SQLite' | 'PostgreSQL' = 'SQLite'): fc.Arbitrary<string> {
  const words = database === 'SQLite' ? SQLITE : POSTGRES;
  return fc.gen().map((gen) => new QueryMaker(gen, tables, words).view());
}

class QueryMaker {
  private aliases = 0;
  private named: Source[] = [];
  /** Windows stand neither in conditions, nor in arguments of table functions, nor inside of each other. */
  private windowless = 0;

  constructor(
    private readonly gen: GeneratorValue,
    private readonly tables: Tables,
    private readonly words: Words,
  ) {}

  view(): string {
    const withs: string[] = [];
    for (let count = this.below(3); count > 0; count--) {
      const { sql, columns } = this.query(2, [], undefined);
      const alias = `w${++this.aliases}`;
      const names = this.below(2) === 0 ? undefined : columns.map((_, at) => `${alias}_${at}`);
      withs.push(`${alias}${names ? `(${names.join(', ')})` : ''} AS (${sql})`);
      this.named.push({ alias, columns: names ?? columns });
    }
    const count = 1 + this.below(3);
    const arms = Array.from({ length: this.below(4) === 0 ? 2 : 1 }, (_, at) =>
      this.select(3, [], { count, first: `'r${at}_' || row_number() OVER () AS id` }),
    );
    return `${withs.length > 0 ? `WITH ${withs.join(', ')} ` : ''}${arms.map(({ sql }) => sql).join(' UNION ALL ')}`;
  }

  /** One SELECT or several together, all with so many columns. */
  private query(depth: number, outer: readonly Source[], given: number | undefined): Query {
    const count = given ?? 1 + this.below(3);
    const first = this.select(depth, outer, { count });
    if (this.below(4) > 0) return first;
    const other = this.select(depth, outer, { count });
    return { sql: `${first.sql} ${this.one('UNION', 'UNION ALL', 'EXCEPT')} ${other.sql}`, columns: first.columns };
  }

  private select(
    depth: number,
    outer: readonly Source[],
    { count, first }: { readonly count: number; readonly first?: string },
  ): Query {
    const from = [this.source(depth, outer)];
    if (this.below(3) === 0) from.push(this.source(depth, outer));
    const sources = from.map(({ source }) => source);
    const columns = Array.from({ length: count }, (_, at) => `c${at}`);
    const items = columns.map((name) => `${this.expression(depth, sources, outer)} ${this.one('AS ', '')}${name}`);
    const where = this.below(3) === 0 ? ` WHERE ${this.condition(depth, sources, outer)}` : '';
    const list = [...(first ? [first] : []), ...items].join(', ');
    return { sql: `SELECT ${list} FROM ${from.map(({ sql }) => sql).join(' JOIN ')}${where}`, columns };
  }

  private source(depth: number, outer: readonly Source[]): { sql: string; source: Source } {
    const alias = `s${++this.aliases}`;
    const kind = this.below(depth > 0 ? 6 : 2);
    if (kind === 0 && this.named.length > 0) {
      const named = this.one(...this.named);
      return { sql: `${named.alias} AS ${alias}`, source: { alias, columns: named.columns } };
    }
    const table = this.one(...Object.keys(this.tables));
    if (kind <= 3) {
      const name = this.one(...this.words.tables(table));
      return { sql: `${name} ${alias}`, source: { alias, columns: this.tables[table]! } };
    }
    if (kind === 4)
      return { sql: `(SELECT * FROM ${table}) ${alias}`, source: { alias, columns: this.tables[table]! } };
    const { sql, columns } = this.query(depth - 1, outer, undefined);
    return { sql: `(${sql}) AS ${alias}`, source: { alias, columns } };
  }

  private condition(depth: number, sources: readonly Source[], outer: readonly Source[]): string {
    const value = this.withoutWindow(() => this.expression(depth - 1, sources, outer));
    return `${value} ${this.one('>', '!=', this.words.differs)} 'a'`;
  }

  private withoutWindow(make: () => string): string {
    this.windowless++;
    const made = make();
    this.windowless--;
    return made;
  }

  private window(depth: number, sources: readonly Source[], outer: readonly Source[]): string {
    if (this.windowless > 0) return this.leaf(sources, outer);
    const value = this.withoutWindow(() => this.expression(depth - 1, sources, outer));
    const called = this.one(...this.words.overWindow);
    return `${called}(${value}) OVER (ORDER BY ${this.leaf(sources, outer)})`;
  }

  private expression(depth: number, sources: readonly Source[], outer: readonly Source[]): string {
    const inner = () => this.expression(depth - 1, sources, outer);
    if (depth <= 0) return this.leaf(sources, outer);
    switch (this.below(13)) {
      case 0:
        return `${this.one(...this.words.functions)}(${inner()})`;
      case 1:
        return `${inner()} || ${inner()}`;
      case 2:
        return `CASE WHEN ${inner()} > 'm' THEN ${inner()} ELSE ${inner()} END`;
      case 3:
        return `${this.one(...this.words.ofTwo)}(${inner()}, ${inner()})`;
      case 4:
        return this.window(depth, sources, outer);
      case 5:
        return this.words.object(inner());
      case 6:
        return `cast(${inner()} AS ${this.one(...this.words.texts)})`;
      case 7:
        return `(${inner()})`;
      case 8:
        return `(${this.query(depth - 1, [...sources, ...outer], 1).sql} LIMIT 1)`;
      case 9:
        return `EXISTS (${this.query(depth - 1, [...sources, ...outer], 1).sql})`;
      case 10:
        return this.words.items(this.withoutWindow(inner));
      case 11:
        return this.words.collated(inner());
      default:
        return this.leaf(sources, outer);
    }
  }

  private leaf(sources: readonly Source[], outer: readonly Source[]): string {
    if (this.below(6) === 0) return this.one("'text'", '1', 'NULL', "''");
    const { alias, columns } = this.one(...sources, ...(this.below(2) === 0 ? outer : []));
    const column = this.one(...columns);
    return `${this.one(alias, `"${alias}"`)}.${this.one(...this.words.columns(column))}`;
  }

  private below(count: number): number {
    return this.gen(fc.nat, { max: count - 1 });
  }

  private one<T>(...values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }
}
