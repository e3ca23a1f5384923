import type { SqlValue } from '../fields/field-type.js';

/** What a value is to the database. SQLite decides by the value itself, PostgreSQL has to be told. */
export type SqlType = 'text' | 'number' | 'boolean' | 'json' | 'array' | 'geoPoint';

/** A value that is unknown when the tree is built. Its builder fills it in when the statement runs. */
export interface Slot {
  readonly slot: true;
}

/**
 * A value as it is compared: text, number, JSON scalar or NULL. `is` and `isNot` treat NULL as a value, the other
 * operators answer NULL for it.
 */
export type SqlComparison = '=' | '>' | '>=' | '<' | '<=' | 'is' | 'isNot';

/** What the language needs of a database. Each compiler spells them its own way. */
export type SqlFunction =
  /** ASCII lower case of a value as text. */
  | 'lower'
  /** The first argument that is not NULL. */
  | 'coalesce'
  /** The pattern `%value%`. */
  | 'containing'
  /** (document, path): the scalar at the path, NULL when there is none, compact text for arrays and objects. */
  | 'jsonValue'
  /** (document, path): how many items the array at the path has, 0 for anything else. */
  | 'jsonLength'
  /** How many items the array of a multi-valued column has. */
  | 'arrayLength'
  /** A time, which is a text here, up to its hour. */
  | 'hour'
  /** How many bytes a stored value has; told without reading it. */
  | 'byteLength'
  /** (lonA, latA, lonB, latB): kilometres. */
  | 'geoDistance'
  /** (format, time, ...modifiers), as SQLite's function of this name. */
  | 'strftime'
  | 'plus'
  | 'times'
  /** Never an integer division. */
  | 'dividedBy'
  | 'min'
  | 'max'
  | 'count'
  | 'sum'
  | 'random';

/** An expression. Plain data: compare, share and cache it freely. */
export type SqlNode =
  | { readonly kind: 'column'; readonly alias: string; readonly name: string; readonly type: SqlType }
  /** The order of insertion of a table's rows. */
  | { readonly kind: 'rowid'; readonly alias: string }
  /** The place of a row among those with the same value, counted from 1. */
  | { readonly kind: 'rowNumber'; readonly among: SqlNode; readonly order: SqlNode }
  | { readonly kind: 'param'; readonly value: SqlValue | Slot; readonly type: SqlType }
  /** One value out of a JSON array, known to be of this type or NULL. */
  | { readonly kind: 'listItem'; readonly list: SqlNode; readonly index: number; readonly type: SqlType }
  /** A constant of our own, written into the text. */
  | { readonly kind: 'constant'; readonly value: '' | 0 | 1 }
  | { readonly kind: 'null' }
  | { readonly kind: 'truth'; readonly value: boolean }
  | { readonly kind: 'call'; readonly name: SqlFunction; readonly args: readonly SqlNode[] }
  | {
      readonly kind: 'compare';
      readonly operator: SqlComparison;
      readonly left: SqlNode;
      readonly right: SqlNode;
      /** Whether a text that is compared with a number counts as one where it looks like one (CMP-1). */
      readonly numericText?: boolean;
    }
  /** Two texts that are the same but for the case of ASCII letters. */
  | { readonly kind: 'sameText'; readonly left: SqlNode; readonly right: SqlNode }
  /** One of some values. */
  | { readonly kind: 'oneOf'; readonly value: SqlNode; readonly list: readonly SqlNode[] }
  | { readonly kind: 'like'; readonly negated: boolean; readonly value: SqlNode; readonly pattern: SqlNode }
  | { readonly kind: 'isNull'; readonly value: SqlNode }
  /** `value <> ''`, as partial indexes have it: NULL for NULL. */
  | { readonly kind: 'isFilled'; readonly value: SqlNode }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly SqlNode[] }
  | { readonly kind: 'not'; readonly term: SqlNode }
  | { readonly kind: 'case'; readonly when: SqlNode; readonly value: SqlNode; readonly otherwise: SqlNode }
  | { readonly kind: 'cast'; readonly value: SqlNode; readonly type: SqlType }
  | { readonly kind: 'exists'; readonly query: SqlQuery }
  | { readonly kind: 'in'; readonly value: SqlNode; readonly query: SqlQuery }
  | { readonly kind: 'scalar'; readonly query: SqlQuery };

/** Where rows come from. Every source has an alias, and nothing is referred to but by alias. */
export type SqlSource =
  | { readonly kind: 'table'; readonly name: string; readonly as: string }
  /** One row without columns, to which everything else is joined. */
  | { readonly kind: 'oneRow'; readonly as: string }
  | { readonly kind: 'query'; readonly query: SqlQuery; readonly as: string }
  /** A query of the statement's WITH. */
  | { readonly kind: 'common'; readonly name: string; readonly as: string }
  /** The items of an array in a column `value`; what is no array is its own only item. */
  | { readonly kind: 'items'; readonly of: SqlNode; readonly as: string };

export interface SqlJoin {
  readonly kind: 'left' | 'inner' | 'cross';
  readonly source: SqlSource;
  /** Absent: every row of the source. */
  readonly on?: SqlNode;
}

export interface SqlOrder {
  readonly value: SqlNode;
  readonly descending: boolean;
  /** It is never NULL, so an index has its order wherever the database sorts NULL. */
  readonly isFilled?: boolean;
  /** An index of the table begins with it. */
  readonly isIndexed?: boolean;
}

/** A SELECT of several columns from joined sources. */
export interface SqlSelect {
  readonly kind: 'select';
  readonly with?: { readonly name: string; readonly query: SqlQuery };
  readonly columns: readonly { readonly value: SqlNode; readonly as: string }[];
  readonly from?: SqlSource;
  readonly joins?: readonly SqlJoin[];
  readonly where?: SqlNode;
  readonly groupBy?: readonly SqlNode[];
  readonly order?: readonly SqlOrder[];
  /**
   * The most rows. It is part of the text, because the plan depends on it: SQLite compiles a statement again each time
   * a limit is bound.
   */
  readonly limit?: number;
  readonly offset?: SqlNode;
  /**
   * Keeps others from the rows until the end of the transaction, where several write at the same time: from changing
   * and deleting them, or from deleting them only. With `freeOnly` it leaves out what somebody else keeps, instead of
   * waiting.
   */
  readonly lock?: 'change' | 'removal';
  readonly freeOnly?: boolean;
}

export type SqlQuery =
  | SqlSelect
  | {
      readonly kind: 'unionAll';
      readonly with?: { readonly name: string; readonly query: SqlQuery };
      readonly queries: readonly SqlSelect[];
    };

/** A column that gets a value. */
export interface SqlAssignment {
  readonly column: string;
  readonly value: SqlNode;
}

/** Rows that are added to a table. */
export interface SqlInsert {
  readonly kind: 'insert';
  readonly into: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlNode[])[];
  /** Adds its only row where this holds, and nothing otherwise. */
  readonly where?: SqlNode;
  /** Whether nothing that another transaction has written, and not committed, can keep it waiting. */
  readonly neverWaits?: boolean;
  /** What is given of each new row; the alias is the table's name. */
  readonly returning?: SqlSelect['columns'];
}

/** The alias of the rows is the table's name. */
export interface SqlUpdate {
  readonly kind: 'update';
  readonly table: string;
  readonly set: readonly SqlAssignment[];
  readonly where: SqlNode;
  /** What is given of each row that was changed. */
  readonly returning?: SqlSelect['columns'];
}

/** The alias of the rows is the table's name. */
export interface SqlDelete {
  readonly kind: 'delete';
  readonly from: string;
  /** Absent: every row. */
  readonly where?: SqlNode;
  /** What is given of each row that was deleted. */
  readonly returning?: SqlSelect['columns'];
}

/** Whatever can be run. */
export type SqlStatement = SqlQuery | SqlInsert | SqlUpdate | SqlDelete;
