import { SqlTextError } from './sql-text.error.js';
import {
  isName,
  isQuery,
  isStar,
  readWith,
  selectClauses,
  sourceAlias,
  splitAlias,
  splitAtCommas,
  splitCompound,
  symbol,
  tableName,
  word,
  type SqlNode,
} from './sql-tree.js';
import { isOnlyName } from './sql-words.js';
import { ANYTHING, Column, OTHER, UNKNOWN, type ViewColumn, type ViewColumnOrigin } from './view-column.js';
import { namePath, readExpression, type ViewExpression, withoutCasts } from './view-expression.js';
import { type Named, Relation, Scope } from './view-scope.js';

/** The names of the columns of a table or view; undefined when they are not known. */
export type ColumnsOf = (table: string) => readonly string[] | undefined;

/**
 * Traces each column of a query to the columns of tables it is made of, through expressions, subqueries, WITH and every
 * SELECT of a compound. The conditions of a subquery count as read by the expression around it, because they choose its
 * rows. What cannot be traced is recorded as unknown, so that nothing that is read is missed silently.
 */
export function traceViewColumns(tree: readonly SqlNode[], columnsOf: ColumnsOf): ViewColumn[] {
  const { columns } = new Tracer(columnsOf).query(tree, new Scope());
  return columns.map((column) => ({ origin: column.origin, ...column.trace() }));
}

class Tracer {
  /** Each query is read once; otherwise nested queries would be read more often with each level. */
  private readonly relations = new Map<readonly SqlNode[], Relation>();

  constructor(private readonly columnsOf: ColumnsOf) {}

  query(nodes: readonly SqlNode[], scope: Scope): Relation {
    let relation = this.relations.get(nodes);
    if (!relation) {
      relation = Relation.unknown();
      this.relations.set(nodes, relation);
      this.read(nodes, scope, relation);
    }
    return relation;
  }

  /** Columns come into the relation with its first SELECT: the next ones may read it. */
  private read(nodes: readonly SqlNode[], scope: Scope, relation: Relation, names?: readonly string[]): void {
    const [first] = nodes;
    if (first?.kind === 'group' && nodes.length === 1) return this.read(first.nodes, scope, relation, names);
    if (word(first, 'WITH')) {
      const { queries, end } = readWith(nodes);
      const inner = new Scope(scope);
      for (const query of queries) inner.named.set(query.name, { query, scope: inner });
      return this.read(nodes.slice(end), inner, relation, names);
    }
    const [arm, ...arms] = splitCompound(nodes) as [SqlNode[], ...SqlNode[][]];
    this.begin(relation, this.arm(arm, scope, []), names);
    for (const next of arms) relation.unite(this.arm(next, scope, relation.columns));
  }

  private begin(relation: Relation, select: Relation, names: readonly string[] | undefined): void {
    relation.conditions.add([select.conditions]);
    relation.others = names ? undefined : select.others;
    relation.isOrdered = names !== undefined || select.isOrdered;
    const fits = select.fits(names?.length ?? NaN);
    relation.columns = names
      ? names.map((name, at) => (fits ? select.columns[at]!.as(name) : Column.of(select.all(), name)))
      : select.columns.map((column) => column.as(column.name));
  }

  private arm(nodes: readonly SqlNode[], scope: Scope, results: readonly Column[]): Relation {
    const [first] = nodes;
    if (first?.kind === 'group') return this.query(first.nodes, scope);
    if (word(first, 'VALUES')) return this.values(nodes.slice(1), scope);
    if (word(first, 'SELECT')) return this.select(nodes, scope, results);
    throw new SqlTextError('The query has to be a SELECT.');
  }

  private values(nodes: readonly SqlNode[], scope: Scope): Relation {
    const relation = new Relation();
    for (const node of nodes) {
      if (node.kind !== 'group') continue;
      for (const [at, value] of splitAtCommas(node.nodes).entries()) {
        relation.columns[at] ??= new Column(`column${at + 1}`);
        relation.columns[at].add(this.reads(value, scope));
      }
    }
    return relation;
  }

  private select(nodes: readonly SqlNode[], outer: Scope, results: readonly Column[]): Relation {
    const { items, from, window, conditions } = selectClauses(nodes);
    const scope = new Scope(outer);
    const joins = new FromReader(this, scope).read(from);
    scope.merges = joins.some((node) => word(node, 'NATURAL', 'USING'));
    scope.windows = this.reads(
      window.filter(({ kind }) => kind === 'group'),
      scope,
    );
    const relation = new Relation();
    for (const item of items) {
      if (isStar(item)) relation.addAll(scope.starred(starredAlias(item)));
      else relation.columns.push(this.column(item, scope));
    }
    const unnamed = relation.columns.filter(({ name }) => name === undefined);
    if (unnamed.length > 0) relation.addOthers(() => unnamed);
    scope.results = [...relation.columns, ...results];
    relation.conditions.add(this.reads([...joins, ...conditions], scope));
    for (const source of scope.sources) relation.conditions.add([source.relation.conditions]);
    return relation;
  }

  private column(item: readonly SqlNode[], scope: Scope): Column {
    const { nodes, alias } = splitAlias(item);
    const reads = nodes.length === 0 ? [UNKNOWN] : this.reads(nodes, scope);
    return Column.of(reads, alias ?? ownName(nodes), this.origin(readExpression(nodes), scope));
  }

  private origin(expression: ViewExpression, scope: Scope): ViewColumnOrigin {
    switch (expression.kind) {
      case 'path':
        return scope.find(expression.path)?.[0]?.origin ?? OTHER;
      case 'query':
        return this.query(expression.nodes, scope).columns[0]?.origin ?? OTHER;
      case 'oneOf':
        return { kind: 'oneOf', values: expression.values.map((value) => this.origin(value, scope)) };
      default:
        return expression;
    }
  }

  /** The columns that an expression reads, or a row of them. */
  reads(nodes: readonly SqlNode[], scope: Scope): Column[] {
    const found: Column[] = [];
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      if (node.kind === 'group') found.push(...this.group(node.nodes, nodes[at - 1], scope));
      else if (word(node, 'OVER')) found.push(...scope.windows);
      else if (isPathStart(nodes, at)) {
        const end = pathEnd(nodes, at);
        found.push(...this.name(nodes, at, end, scope));
        at = end;
      }
    }
    return found;
  }

  private group(nodes: readonly SqlNode[], before: SqlNode | undefined, scope: Scope): readonly Column[] {
    if (isQuery(nodes)) {
      const relation = this.query(nodes, scope);
      // EXISTS over a single SELECT does not depend on the columns it shows.
      const isAsked = word(before, 'EXISTS') && isPlainSelect(nodes);
      return [relation.conditions, ...(isAsked ? [] : relation.all())];
    }
    const as = word(before, 'CAST') ? nodes.findLastIndex((node) => word(node, 'AS')) : -1;
    return this.reads(as < 0 ? nodes : nodes.slice(0, as), scope);
  }

  /** What a name within an expression reads, which ends at this position. */
  private name(nodes: readonly SqlNode[], at: number, end: number, scope: Scope): readonly Column[] {
    const before = nodes[at - 1];
    const path = nodes.slice(at, end + 1).filter(isName);
    const isCalled = nodes[end + 1]?.kind === 'group';
    if (word(before, 'IN') && isCalled) return [Column.ofTable(path.at(-1)!.value, '*')];
    if (word(before, 'IN')) {
      const { relation } = this.table(nodes, at, scope);
      return [...relation.all(), relation.conditions];
    }
    if (word(before, 'COLLATE', 'OVER')) return [];
    if (isCalled) return readsAnything(path.at(-1)!.value) ? [ANYTHING] : [];
    if (symbol(nodes[end], '*')) return scope.starred(path.at(-1)!.value).flatMap(({ relation }) => relation.all());
    const found = scope.find(path.map(({ value }) => value));
    if (found) return found;
    const isCertain = path.length > 1 || isOnlyName(path[0]!);
    return [...scope.rowOf(path.map(({ value }) => value)), ...(isCertain ? [Column.unknown(path.at(-1)!.value)] : [])];
  }

  /** The table or WITH of this name, and the position of the last node of the name. */
  table(nodes: readonly SqlNode[], at: number, scope: Scope): { relation: Relation; name: string; last: number } {
    const { name, qualified, last } = tableName(nodes, at);
    const named = qualified ? undefined : scope.findNamed(name);
    return { relation: named ? this.named(named) : Relation.ofTable(name, this.columnsOf(name)), name, last };
  }

  private named(named: Named): Relation {
    if (named.relation) return named.relation;
    named.relation = Relation.unknown();
    this.read(named.query.body, named.scope, named.relation, named.query.columns);
    return named.relation;
  }
}

/** Reads the items of a FROM into a scope. */
class FromReader {
  private readonly calls: { readonly column: Column; readonly args: readonly SqlNode[] }[] = [];

  constructor(
    private readonly tracer: Tracer,
    private readonly scope: Scope,
  ) {}

  /** Gives the rest: the conditions of joins, and the words around them. */
  read(from: readonly SqlNode[]): readonly SqlNode[] {
    const rest: SqlNode[] = [];
    this.items(from, rest);
    // Arguments of a table function may refer to any item of the same FROM.
    for (const { column, args } of this.calls) column.add(this.tracer.reads(args, this.scope));
    return rest;
  }

  private items(nodes: readonly SqlNode[], rest: SqlNode[]): void {
    let expectsItem = true;
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      if (expectsItem && (node.kind === 'group' || isName(node))) {
        at = this.item(nodes, at, rest);
        expectsItem = false;
      } else {
        expectsItem = word(node, 'JOIN') || symbol(node, ',');
        rest.push(node);
      }
    }
  }

  /** Reads one item and gives the position of its last node. */
  private item(nodes: readonly SqlNode[], at: number, rest: SqlNode[]): number {
    const node = nodes[at]!;
    if (node.kind !== 'group') return this.table(nodes, at);
    const { alias, last } = sourceAlias(nodes, at);
    if (isDerived(node.nodes)) {
      this.add(alias ?? '', this.tracer.query(node.nodes, this.scope.outer!));
      return last;
    }
    const before = this.scope.sources.length;
    this.items(node.nodes, rest);
    if (alias !== undefined) {
      const joined = new Relation();
      joined.addAll(this.scope.sources.slice(before));
      this.add(alias, joined);
    }
    return last;
  }

  private table(nodes: readonly SqlNode[], at: number): number {
    const { name, last } = tableName(nodes, at);
    const args = nodes[last + 1];
    const end = sourceAlias(nodes, args?.kind === 'group' ? last + 1 : last);
    if (args?.kind === 'group') this.add(end.alias ?? name, this.call(name, args.nodes));
    else this.add(end.alias ?? name, this.tracer.table(nodes, at, this.scope).relation);
    return end.last;
  }

  /** What a table function gives is made of its arguments, and there are as many rows as these say. */
  private call(name: string, args: readonly SqlNode[]): Relation {
    const column = Column.of([Column.ofTable(name, '*'), ...(readsAnything(name) ? [ANYTHING] : [])]);
    this.calls.push({ column, args });
    const relation = new Relation();
    relation.others = () => [column];
    relation.conditions.add([column]);
    return relation;
  }

  private add(alias: string, relation: Relation): void {
    this.scope.sources.push({ alias, relation });
  }
}

/** Functions of PostgreSQL that read what a text names. */
const READS_ANYTHING =
  /^(?:(?:query|table|cursor|schema|database)_to_xml|ts_stat$|dblink|crosstab|connectby$|xpath_table$)/i;

function readsAnything(functionName: string): boolean {
  return READS_ANYTHING.test(functionName);
}

function isDerived(nodes: readonly SqlNode[]): boolean {
  const [first] = nodes;
  return isQuery(nodes) || (nodes.length === 1 && first?.kind === 'group' && isDerived(first.nodes));
}

/** Whether each of its rows comes from a row of its FROM, chosen by its conditions. */
function isPlainSelect(nodes: readonly SqlNode[]): boolean {
  return word(nodes[0], 'SELECT') && !word(nodes[1], 'DISTINCT') && splitCompound(nodes).length === 1;
}

/** What a column is called that is given no name: as the column it shows, whatever stands around that. */
function ownName(nodes: readonly SqlNode[]): string | undefined {
  const [first, second] = nodes;
  if (word(nodes.at(-2), 'COLLATE')) return ownName(nodes.slice(0, -2));
  if (nodes.at(-1)?.kind === 'cast') return ownName(withoutCasts(nodes));
  if (first?.kind === 'group' && nodes.length === 1) return ownName(first.nodes);
  if (word(first, 'LIKELY', 'UNLIKELY', 'LIKELIHOOD') && second?.kind === 'group') {
    return nodes.length === 2 ? ownName(splitAtCommas(second.nodes)[0]!) : undefined;
  }
  return namePath(nodes)?.at(-1);
}

/** The `t` of `t.*`. */
function starredAlias(item: readonly SqlNode[]): string | undefined {
  const alias = item.at(-3);
  return isName(alias) ? alias.value : undefined;
}

/** Whether a name begins here. A quoted text counts only as part of a path. */
function isPathStart(nodes: readonly SqlNode[], at: number): boolean {
  const node = nodes[at];
  return isName(node) && (node.kind !== 'text' || symbol(nodes[at + 1], '.') || symbol(nodes[at - 1], '.'));
}

/** The position of the last node of `a`, `t.a` or `t.*`. */
function pathEnd(nodes: readonly SqlNode[], start: number): number {
  let at = start;
  while (symbol(nodes[at + 1], '.') && (isName(nodes[at + 2]) || symbol(nodes[at + 2], '*'))) at += 2;
  return at;
}
