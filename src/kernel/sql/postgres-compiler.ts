import type { SqlValue } from '../fields/field-type.js';
import { asSemiJoin } from './as-semi-join.js';
import { storedName } from './postgres-names.js';
import { SqlCompiler } from './sql-compiler.js';
import type { SqlComparison, SqlFunction, SqlNode, SqlOrder, SqlQuery, SqlType } from './sql-node.js';
import { sqlTypeOf } from './sql-types.js';

/** What can be compared with what: values of one class have an order, and numbers come before text (CMP-2). */
type ValueClass = 'text' | 'number' | 'json';

const CLASSES: Readonly<Record<SqlType, ValueClass>> = {
  text: 'text',
  number: 'number',
  boolean: 'number',
  json: 'json',
  array: 'text',
  geoPoint: 'text',
};

const PARAM_TYPES: Readonly<Record<SqlType, string>> = {
  text: 'text',
  number: 'double precision',
  boolean: 'int',
  json: 'jsonb',
  array: 'jsonb',
  geoPoint: 'jsonb',
};

const OPERATORS: Readonly<Record<SqlComparison, string>> = {
  '=': '=',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
  is: 'IS NOT DISTINCT FROM',
  isNot: 'IS DISTINCT FROM',
};

const ORDERS: ReadonlySet<SqlComparison> = new Set(['>', '>=', '<', '<=']);
const NUMERIC_TEXT = `'^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$'`;

/**
 * PostgreSQL. Every value has a type there, so that comparisons of different classes are decided here.
 *
 * Four functions of the database stand for what it has no expression for: `roost_json(jsonb)`, the scalar by which a
 * JSON value is compared; `roost_json_text(jsonb)`, its compact text; `roost_json_order(jsonb)`, a text that sorts
 * by its bytes as §10 orders JSON; and `roost_strftime(text, text, ...)`.
 */
export class PostgresCompiler extends SqlCompiler {
  protected override placeholder(number: number, { type }: Extract<SqlNode, { kind: 'param' }>): string {
    return `$${number}::${PARAM_TYPES[type]}`;
  }

  protected override quote(identifier: string): string {
    return super.quote(storedName(identifier));
  }

  protected override rowid(alias: string): string {
    return `${this.quote(alias)}."_rowid_"`;
  }

  protected override offset(node: SqlNode): string {
    return `(${this.node(node)})::bigint`;
  }

  protected override lock(lock: 'change' | 'removal', freeOnly = false): string {
    // Ids never change, so whoever refers to a row need not wait for somebody who changes it.
    const strength = lock === 'change' ? ' FOR NO KEY UPDATE' : ' FOR KEY SHARE';
    return freeOnly ? `${strength} SKIP LOCKED` : strength;
  }

  /** Both branches must have one type, and a JSON column of a view may have any. */
  protected override choice(node: Extract<SqlNode, { kind: 'case' }>): string {
    const { when, value, otherwise } = node;
    if (sqlTypeOf(value) !== 'json' || sqlTypeOf(otherwise) !== 'json') return super.choice(node);
    return `CASE WHEN ${this.node(when)} THEN ${this.node(value)} ELSE to_jsonb(${this.node(otherwise)}) END`;
  }

  protected override exists(query: SqlQuery): string {
    return super.exists(asSemiJoin(query) ?? query);
  }

  /** Passes the ids of a list as an array, so that they are looked up in an index. */
  protected override isIn(node: Extract<SqlNode, { kind: 'in' }>): string {
    const { value, query } = node;
    if (sqlTypeOf(value) !== 'text' || !isListOfTexts(query)) return super.isIn(node);
    return `(${this.node(value)} = ANY (ARRAY(${this.query(query)})))`;
  }

  protected override isFilled(value: SqlNode): string {
    return sqlTypeOf(value) === 'text' ? super.isFilled(value) : `(${this.node(value)} IS NOT NULL)`;
  }

  protected override stored(node: SqlNode): string {
    const isTruth = node.kind === 'param' && node.type === 'boolean';
    return isTruth ? `(${this.node(node)})::boolean` : this.node(node);
  }

  protected override listItem({ list, index, type }: Extract<SqlNode, { kind: 'listItem' }>): string {
    const item = `(${this.node(list)} ->> ${index})`;
    return type === 'text' ? item : `${item}::${PARAM_TYPES[type]}`;
  }

  protected override cast({ value, type }: Extract<SqlNode, { kind: 'cast' }>): string {
    if (type === 'text' && classOf(value) === 'json') return `(roost_json(${this.node(value)}) #>> '{}')`;
    return type === 'boolean' ? `(${this.node(value)})::boolean` : this.node(value);
  }

  protected override items(of: SqlNode, as: string): string {
    const alias = `AS ${as}("value")`;
    if (sqlTypeOf(of) === 'array') return `LATERAL jsonb_array_elements_text(${this.node(of)}) ${alias}`;
    if (of.kind === 'param') return `LATERAL jsonb_array_elements(${this.node(of)}) ${alias}`;
    // A column of a view may have another type than JSON.
    const json = () => `to_jsonb(${this.node(of)})`;
    const list = `CASE WHEN jsonb_typeof(${json()}) = 'array' THEN ${json()}`;
    return `LATERAL jsonb_array_elements(${list} ELSE jsonb_build_array(${json()}) END) ${alias}`;
  }

  protected override orderTerm({ value, descending, isFilled }: SqlOrder): string {
    // A column that is never NULL needs no NULLS FIRST or LAST, and an index has only one of these orders.
    if (value.kind === 'rowid') return this.node(value) + (descending ? ' DESC' : '');
    const nulls = isFilled ? '' : descending ? ' NULLS LAST' : ' NULLS FIRST';
    return `${this.orderable(value)} ${descending ? 'DESC' : 'ASC'}${nulls}`;
  }

  protected override call(name: SqlFunction, args: readonly SqlNode[]): string {
    const [first, second] = args as [SqlNode, SqlNode];
    switch (name) {
      case 'lower':
        return this.lower(first);
      case 'containing':
        return `('%' || ${this.text(first)} || '%')`;
      case 'jsonValue':
        return this.jsonValue(first, second);
      case 'jsonLength':
        return this.jsonLength(first, second);
      case 'arrayLength':
        return `COALESCE(jsonb_array_length(${this.node(first)}), 0)`;
      case 'hour':
        return `substr(${this.text(first)}, 1, 13)`;
      case 'byteLength':
        // The size that is read; the stored one may be compressed.
        return `octet_length((${this.node(first)})::text)`;
      case 'geoDistance':
        return this.geoDistance(args);
      case 'plus':
        return `(${this.node(first)} + ${this.node(second)})`;
      case 'times':
        return `(${this.node(first)} * ${this.node(second)})`;
      case 'dividedBy':
        return `((${this.node(first)})::double precision / ${this.node(second)})`;
      case 'strftime':
        return `roost_strftime(${args.map((arg) => this.text(arg)).join(', ')})`;
      case 'min':
      case 'max':
        return `${name.toUpperCase()}(${this.orderable(first)})`;
      default:
        return `${name.toUpperCase()}(${args.map((arg) => this.node(arg)).join(', ') || (name === 'count' ? '*' : '')})`;
    }
  }

  protected override sameText(left: SqlNode, right: SqlNode): string {
    return `(${this.lower(left)} = ${this.lower(right)})`;
  }

  private lower(node: SqlNode): string {
    return `LOWER(${this.text(node)} COLLATE "C")`;
  }

  protected override like({ negated, value, pattern }: Extract<SqlNode, { kind: 'like' }>): string {
    const operator = negated ? 'NOT ILIKE' : 'ILIKE';
    return `(${this.text(value)} COLLATE "C" ${operator} ${this.text(pattern)} ESCAPE '\\')`;
  }

  protected override compare(node: Extract<SqlNode, { kind: 'compare' }>): string {
    const { operator, left, right } = node;
    const [a, b] = [classOf(left), classOf(right)];
    // The column is not converted, because its index would not be used.
    if (left.kind === 'rowid' && right.kind === 'param')
      return `(${this.node(left)} ${OPERATORS[operator]} (${this.node(right)})::bigint)`;
    if (a === 'json' || b === 'json') return this.compareJson(operator, left, right);
    if (left.kind === 'null' || right.kind === 'null')
      return `(${this.node(left)} ${OPERATORS[operator]} ${this.node(right)})`;
    if (isCoalesced(left) && isCoalesced(right)) return this.compareColumns(operator, left.args[0]!, right.args[0]!);
    if (a !== b) return this.compareClasses(node);
    if (a === 'number') return `(${this.number(left)} ${OPERATORS[operator]} ${this.number(right)})`;
    const collation = ORDERS.has(operator) ? ' COLLATE "C"' : '';
    return `(${this.text(left)}${collation} ${OPERATORS[operator]} ${this.text(right)})`;
  }

  private compareJson(operator: SqlComparison, left: SqlNode, right: SqlNode): string {
    const [a, b] = [this.json(left), this.json(right)];
    if (!ORDERS.has(operator)) return `(${a} ${OPERATORS[operator]} ${b})`;
    return `(roost_json_order(${a}) COLLATE "C" ${OPERATORS[operator]} roost_json_order(${b}))`;
  }

  /** Two columns, of which NULL and '' are the same (CMP-5). */
  private compareColumns(operator: SqlComparison, left: SqlNode, right: SqlNode): string {
    const [a, b] = [classOf(left), classOf(right)];
    if (a === 'text' && b === 'text') {
      const [x, y] = [`COALESCE(${this.text(left)}, '')`, `COALESCE(${this.text(right)}, '')`];
      return `(${x} ${OPERATORS[operator]} ${y})`;
    }
    if (a === b) return `(${this.number(left)} ${OPERATORS[operator === '=' ? 'is' : operator]} ${this.number(right)})`;
    const empty = (node: SqlNode) => {
      return classOf(node) === 'number' ? `${this.node(node)} IS NULL` : `COALESCE(${this.text(node)}, '') = ''`;
    };
    return `(${operator === 'isNot' ? 'NOT ' : ''}(${empty(left)} AND ${empty(right)}))`;
  }

  /** A number and a text: never equal, the number first, unless the text is to be one (CMP-1). */
  private compareClasses({ operator, left, right, numericText }: Extract<SqlNode, { kind: 'compare' }>): string {
    const known = (node: SqlNode) => `${this.node(node)} IS NOT NULL`;
    if (operator === 'is' || operator === 'isNot') {
      return `(${operator === 'is' ? 'NOT ' : ''}(${known(left)} OR ${known(right)}))`;
    }
    const numberFirst = classOf(left) === 'number';
    const holds = operator === '=' ? false : operator.startsWith('<') === numberFirst;
    const constant = () => `CASE WHEN ${known(left)} AND ${known(right)} THEN ${holds ? 'TRUE' : 'FALSE'} END`;
    const textual = numberFirst ? right : left;
    if (!numericText) return `(${constant()})`;
    const condition = `${this.text(textual)} ~ ${NUMERIC_TEXT}`;
    const [x, y] = [left, right].map((node) => {
      return node === textual ? `(${this.text(node)})::double precision` : this.number(node);
    });
    return `(CASE WHEN ${condition} THEN ${x} ${OPERATORS[operator]} ${y} ELSE ${constant()} END)`;
  }

  private text(node: SqlNode): string {
    const sql = this.node(node);
    switch (node.kind === 'null' ? 'text' : sqlTypeOf(node)) {
      case 'text':
        return sql;
      case 'number':
        // By way of numeric, because a double precision of 16 digits is written with an exponent.
        return `(${sql})::text::numeric::text`;
      case 'boolean':
        return `(${sql})::int::text`;
      case 'geoPoint':
        return this.point(node);
      default:
        return `roost_json_text(${sql})`;
    }
  }

  /** The text that a point is written as everywhere: jsonb has an order of keys of its own. */
  private point(node: SqlNode): string {
    const coordinate = (name: string) => `(${this.node(node)} ->> '${name}')`;
    return `('{"lon":' || ${coordinate('lon')} || ',"lat":' || ${coordinate('lat')} || '}')`;
  }

  private number(node: SqlNode): string {
    const sql = this.node(node);
    const isInt = node.kind === 'param' || node.kind === 'listItem';
    return sqlTypeOf(node) === 'boolean' && !isInt ? `(${sql})::int` : sql;
  }

  private json(node: SqlNode): string {
    if (node.kind === 'null') return 'NULL::jsonb';
    switch (classOf(node)) {
      case 'json':
        return `roost_json(${this.node(node)})`;
      case 'number':
        return `to_jsonb(${this.number(node)})`;
      case 'text':
        return `to_jsonb(${this.text(node)})`;
    }
  }

  private orderable(node: SqlNode): string {
    switch (classOf(node)) {
      case 'json':
        return `roost_json_order(${this.node(node)}) COLLATE "C"`;
      case 'number':
        return this.number(node);
      case 'text':
        return `${this.text(node)} COLLATE "C"`;
    }
  }

  /** `strict`, so that an index applies to arrays only, and silent, so that a missing path gives NULL. */
  private jsonValue(document: SqlNode, path: SqlNode): string {
    const value = `to_jsonb(${this.node(document)})`;
    if (path.kind !== 'param') throw new TypeError('A JSON path is a parameter.');
    this.params.push(`strict ${path.value as SqlValue & string}`);
    return `jsonb_path_query_first(${value}, $${this.params.length}::jsonpath, '{}', TRUE)`;
  }

  private jsonLength(document: SqlNode, path: SqlNode): string {
    const isArray = `jsonb_typeof(${this.jsonValue(document, path)}) = 'array'`;
    return `CASE WHEN ${isArray} THEN jsonb_array_length(${this.jsonValue(document, path)}) ELSE 0 END`;
  }

  private geoDistance(args: readonly SqlNode[]): string {
    const [lonA, latA, lonB, latB] = args.map((arg) => () => `radians(${this.coordinate(arg)})`) as (() => string)[];
    const same = `${lonA!()} = ${lonB!()} AND ${latA!()} = ${latB!()}`;
    // GREATEST and LEAST pass over NULL, which would be a distance of 0.
    const known = `${lonA!()} + ${latA!()} + ${lonB!()} + ${latB!()} IS NOT NULL`;
    const cosine = `cos(${latA!()}) * cos(${latB!()}) * cos(${lonB!()} - ${lonA!()}) + sin(${latA!()}) * sin(${latB!()})`;
    return `CASE WHEN ${same} THEN 0 WHEN ${known} THEN 6371 * acos(GREATEST(-1, LEAST(1, ${cosine}))) END`;
  }

  private coordinate(node: SqlNode): string {
    switch (classOf(node)) {
      case 'number':
        return this.number(node);
      case 'json':
        return `CASE WHEN jsonb_typeof(${this.node(node)}) = 'number' THEN (${this.node(node)})::double precision END`;
      case 'text': {
        const isNumber = `${this.text(node)} ~ ${NUMERIC_TEXT}`;
        return `CASE WHEN ${isNumber} THEN (${this.text(node)})::double precision END`;
      }
    }
  }
}

function classOf(node: SqlNode): ValueClass {
  return CLASSES[sqlTypeOf(node)];
}

/** The items of a multi-valued column, all of them. */
function isListOfTexts(query: SqlQuery): boolean {
  if (query.kind !== 'select' || query.from?.kind !== 'items' || sqlTypeOf(query.from.of) !== 'array') return false;
  return !query.joins?.length && !query.where && query.limit === undefined && query.columns.length === 1;
}

function isCoalesced(node: SqlNode): node is Extract<SqlNode, { kind: 'call' }> {
  return node.kind === 'call' && node.name === 'coalesce';
}
