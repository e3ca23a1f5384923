import type { SqlValue } from '../fields/field-type.js';
import type {
  Slot,
  SqlDelete,
  SqlFunction,
  SqlInsert,
  SqlJoin,
  SqlNode,
  SqlOrder,
  SqlQuery,
  SqlSelect,
  SqlSource,
  SqlStatement,
  SqlUpdate,
} from './sql-node.js';

/** Text and parameters of a tree. The same tree always gives the same text. */
export interface SqlTemplate {
  readonly sql: string;
  /** In the order of their places in the text. Slots have to be filled before the statement can run. */
  readonly params: readonly (SqlValue | Slot)[];
  /** Names of the tables and views that are read. */
  readonly tables: readonly string[];
  /** Names of the tables that are written; absent for a statement that only reads. */
  readonly writes?: readonly string[];
  /** Whether what it writes depends on a condition of its own. */
  readonly isConditional?: boolean;
  /** As in SqlInsert. */
  readonly neverWaits?: boolean;
}

/** The part of SQL that all databases share. A compiler is for one tree: it collects parameters while it writes. */
export abstract class SqlCompiler {
  protected readonly params: (SqlValue | Slot)[] = [];
  private readonly tables = new Set<string>();

  /** A whole statement. */
  statement(statement: SqlStatement): SqlTemplate {
    switch (statement.kind) {
      case 'insert':
        return {
          ...this.template(this.insert(statement)),
          writes: [statement.into],
          ...(statement.where && { isConditional: true }),
          ...(statement.neverWaits && { neverWaits: true }),
        };
      case 'update':
        return { ...this.template(this.update(statement)), writes: [statement.table] };
      case 'delete':
        return { ...this.template(this.delete(statement)), writes: [statement.from] };
      default:
        return this.template(this.query(statement));
    }
  }

  /** An expression, for a place where the aliases it uses are known. */
  expression(node: SqlNode): SqlTemplate {
    return this.template(this.node(node));
  }

  private template(sql: string): SqlTemplate {
    return { sql, params: this.params, tables: [...this.tables].sort() };
  }

  /** Text for a place of a parameter, given its number counted from 1. */
  protected abstract placeholder(number: number, node: Extract<SqlNode, { kind: 'param' }>): string;
  protected abstract listItem(node: Extract<SqlNode, { kind: 'listItem' }>): string;
  protected abstract call(name: SqlFunction, args: readonly SqlNode[]): string;
  protected abstract compare(node: Extract<SqlNode, { kind: 'compare' }>): string;
  /** Whether two texts are the same but for the case of ASCII letters, spelled as indexes for it are. */
  protected abstract sameText(left: SqlNode, right: SqlNode): string;
  protected abstract like(node: Extract<SqlNode, { kind: 'like' }>): string;
  protected abstract cast(node: Extract<SqlNode, { kind: 'cast' }>): string;
  protected abstract rowid(alias: string): string;
  /** The source with the items of an array in a column `value`. */
  protected abstract items(of: SqlNode, as: string): string;
  protected abstract orderTerm(order: SqlOrder): string;

  /** A text that is not empty, spelled as in the WHERE of indexes; what is no text is filled unless it is NULL. */
  protected isFilled(value: SqlNode): string {
    return `(${this.node(value)} <> '')`;
  }

  protected exists(query: SqlQuery): string {
    return `EXISTS (${this.query(query)})`;
  }

  protected isIn({ value, query }: Extract<SqlNode, { kind: 'in' }>): string {
    return `(${this.node(value)} IN (${this.query(query)}))`;
  }

  protected choice({ when, value, otherwise }: Extract<SqlNode, { kind: 'case' }>): string {
    return `CASE WHEN ${this.node(when)} THEN ${this.node(value)} ELSE ${this.node(otherwise)} END`;
  }

  /** A value as it is stored in a column. */
  protected stored(node: SqlNode): string {
    return this.node(node);
  }

  /** The locking clause; empty where only one transaction at a time writes. */
  protected lock(_lock: NonNullable<SqlSelect['lock']>, _freeOnly?: boolean): string {
    return '';
  }

  /** What the rows of a query meet; '' for all. */
  protected condition({ where }: SqlSelect): string {
    return where ? this.node(where) : '';
  }

  /** A number of rows to pass over. */
  protected offset(node: SqlNode): string {
    return this.node(node);
  }

  protected node(node: SqlNode): string {
    switch (node.kind) {
      case 'column':
        return `${this.quote(node.alias)}.${this.quote(node.name)}`;
      case 'rowid':
        return this.rowid(node.alias);
      case 'rowNumber':
        return `ROW_NUMBER() OVER (PARTITION BY ${this.node(node.among)} ORDER BY ${this.node(node.order)})`;
      case 'param':
        this.params.push(node.value);
        return this.placeholder(this.params.length, node);
      case 'listItem':
        return this.listItem(node);
      case 'constant':
        return node.value === '' ? "''" : String(node.value);
      case 'null':
        return 'NULL';
      case 'truth':
        return node.value ? 'TRUE' : 'FALSE';
      case 'call':
        return this.call(node.name, node.args);
      case 'compare':
        return this.compare(node);
      case 'sameText':
        return this.sameText(node.left, node.right);
      case 'oneOf':
        return this.oneOf(node.value, node.list);
      case 'like':
        return this.like(node);
      case 'isNull':
        return `(${this.node(node.value)} IS NULL)`;
      case 'isFilled':
        return this.isFilled(node.value);
      case 'and':
      case 'or':
        return `(${node.terms.map((term) => this.node(term)).join(node.kind === 'and' ? ' AND ' : ' OR ')})`;
      case 'not':
        return `(NOT ${this.node(node.term)})`;
      case 'case':
        return this.choice(node);
      case 'cast':
        return this.cast(node);
      case 'exists':
        return this.exists(node.query);
      case 'in':
        return this.isIn(node);
      case 'scalar':
        return `(${this.query(node.query)})`;
    }
  }

  /** An identifier that was looked up in the schema or made here, never one a client wrote. */
  protected quote(identifier: string): string {
    return `"${identifier.replaceAll('"', '""')}"`;
  }

  private insert({ into, columns, rows, where, returning }: SqlInsert): string {
    const values = rows.map((row) => row.map((value) => this.stored(value)).join(', '));
    const names = columns.map((name) => this.quote(name)).join(', ');
    const given = where ? `SELECT ${values[0]} WHERE ${this.node(where)}` : `VALUES (${values.join('), (')})`;
    return `INSERT INTO ${this.quote(into)} (${names}) ${given}${this.returning(returning)}`;
  }

  private update({ table, set, where, returning }: SqlUpdate): string {
    const values = set.map(({ column, value }) => `${this.quote(column)} = ${this.stored(value)}`).join(', ');
    return `UPDATE ${this.quote(table)} SET ${values} WHERE ${this.node(where)}${this.returning(returning)}`;
  }

  private delete({ from, where, returning }: SqlDelete): string {
    const condition = where ? ` WHERE ${this.node(where)}` : '';
    return `DELETE FROM ${this.quote(from)}${condition}${this.returning(returning)}`;
  }

  private returning(columns: SqlSelect['columns'] = []): string {
    return columns.length > 0 ? ` RETURNING ${this.columns(columns)}` : '';
  }

  private oneOf(value: SqlNode, list: readonly SqlNode[]): string {
    if (list.length === 0) return 'FALSE';
    if (list.length === 1) return this.node({ kind: 'compare', operator: '=', left: value, right: list[0]! });
    return `(${this.node(value)} IN (${list.map((item) => this.node(item)).join(', ')}))`;
  }

  private columns(columns: SqlSelect['columns']): string {
    return columns.map(({ value, as }) => `${this.node(value)} AS ${this.quote(as)}`).join(', ');
  }

  protected query(query: SqlQuery): string {
    const common = query.with ? `WITH ${this.quote(query.with.name)} AS (${this.query(query.with.query)}) ` : '';
    if (query.kind === 'select') return common + this.select(query);
    return common + query.queries.map((select) => this.select(select)).join(' UNION ALL ');
  }

  protected select(select: SqlSelect): string {
    let sql = `SELECT ${this.columns(select.columns) || '1'}`;
    if (select.from) sql += ` FROM ${this.source(select.from)}`;
    for (const join of select.joins ?? []) sql += this.join(join);
    const condition = this.condition(select);
    if (condition !== '') sql += ` WHERE ${condition}`;
    if (select.groupBy?.length) sql += ` GROUP BY ${select.groupBy.map((term) => this.node(term)).join(', ')}`;
    if (select.order?.length) sql += ` ORDER BY ${select.order.map((term) => this.orderTerm(term)).join(', ')}`;
    if (select.limit !== undefined) sql += ` LIMIT ${wholeNumber(select.limit)}`;
    if (select.offset) sql += ` OFFSET ${this.offset(select.offset)}`;
    return select.lock ? sql + this.lock(select.lock, select.freeOnly) : sql;
  }

  private join({ kind, source, on }: SqlJoin): string {
    const sql = this.source(source);
    if (kind === 'cross') return ` CROSS JOIN ${sql}`;
    return ` ${kind === 'left' ? 'LEFT' : 'INNER'} JOIN ${sql} ON ${on ? this.node(on) : 'TRUE'}`;
  }

  protected source(source: SqlSource): string {
    const as = this.quote(source.as);
    switch (source.kind) {
      case 'table':
        this.tables.add(source.name);
        return source.name === source.as ? as : `${this.quote(source.name)} AS ${as}`;
      case 'common':
        return source.name === source.as ? as : `${this.quote(source.name)} AS ${as}`;
      case 'oneRow':
        return `(SELECT 1) AS ${as}`;
      case 'query':
        return `(${this.query(source.query)}) AS ${as}`;
      case 'items':
        return this.items(source.of, as);
    }
  }
}

/** Digits and nothing else, whatever was handed over. */
function wholeNumber(value: number): string {
  return String(BigInt(value));
}
