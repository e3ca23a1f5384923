import type { SqlValue } from '../fields/field-type.js';
import { isCompactDocument } from '../json-object.js';
import type { SqlNode, SqlType } from '../sql/sql-node.js';
import { NULL, param } from '../sql/sql.js';
import type { BindScope } from './expression-scope.js';
import type { RequestReader } from './request-reader.js';

/** All that the text of a comparison may depend on of a value. */
export type ValueShape = 'null' | 'empty' | 'text' | 'number' | 'json';

const TYPES: Readonly<Record<Exclude<ValueShape, 'null'>, SqlType>> = {
  empty: 'text',
  text: 'text',
  number: 'number',
  json: 'json',
};

interface Source {
  readonly reader: RequestReader;
  readonly read: (scope: BindScope) => SqlValue;
}

/**
 * A value from outside of the database (kind V): a literal, a macro or a part of the request. It is always a bound
 * parameter; the SQL text may depend on its shape only.
 */
export class Value {
  private constructor(
    readonly shape: ValueShape,
    private readonly constant: SqlValue,
    private readonly source?: Source,
  ) {}

  static constant(value: SqlValue): Value {
    return new Value(shapeOf(value), value);
  }

  /** A value read again at every binding. Its shape becomes an assumption. */
  static of(read: (scope: BindScope) => SqlValue, reader: RequestReader): Value {
    const shape = reader.about((scope) => shapeOf(read(scope)));
    return new Value(shape, null, { reader, read });
  }

  get isEmpty(): boolean {
    return this.shape === 'null' || this.shape === 'empty';
  }

  /** The value in another form. What it is then decides about the SQL too, and becomes an assumption. */
  map(convert: (value: SqlValue) => SqlValue): Value {
    if (!this.source) return Value.constant(convert(this.constant));
    const { reader, read } = this.source;
    return Value.of((scope) => convert(read(scope)), reader);
  }

  /** The value in another form that is a text for every value of this shape. */
  mapToText(convert: (value: SqlValue) => SqlValue): Value {
    if (!this.source) return Value.constant(convert(this.constant));
    const { reader, read } = this.source;
    return new Value('text', null, { reader, read: (scope) => convert(read(scope)) });
  }

  /**
   * The value as JSON where it is an object or a list: a database that keeps documents as values, and not as they were
   * written, can compare it then. That it is one becomes an assumption.
   */
  asDocument(): Value {
    if (this.shape !== 'text') return this;
    const { constant, source } = this;
    const isDocument = source
      ? source.reader.about((scope) => isCompactDocument(source.read(scope)))
      : isCompactDocument(constant);
    return isDocument ? new Value('json', constant, source) : this;
  }

  toNode(): SqlNode {
    if (this.shape === 'null') return NULL;
    const type = TYPES[this.shape];
    return this.source ? this.source.reader.node(this.source.read, type) : param(this.constant, type);
  }
}

function shapeOf(value: SqlValue): ValueShape {
  if (value === null) return 'null';
  if (value === '') return 'empty';
  return typeof value === 'string' ? 'text' : 'number';
}

/** Any value of JavaScript as the database compares it: truth as 1 and 0, lists and objects as compact JSON. */
export function toSqlValue(value: unknown): SqlValue {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : null;
    case 'boolean':
      return value ? 1 : 0;
    case 'object':
      return value === null ? null : JSON.stringify(value);
    default:
      return null;
  }
}
