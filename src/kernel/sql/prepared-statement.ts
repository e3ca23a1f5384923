import type { SqlValue } from '../fields/field-type.js';
import type { SqlCompiler, SqlTemplate } from './sql-compiler.js';
import type { Slot, SqlNode, SqlStatement, SqlType } from './sql-node.js';
import { param } from './sql.js';

/** A place for a value that is given when the statement is run. */
export type ValuePlace = (type?: SqlType) => SqlNode;

/** Text and values of a statement that is ready to run. */
export interface BoundStatement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
  /** The tables it reads. */
  readonly tables: readonly string[];
  /** The tables it writes; absent for a statement that only reads. */
  readonly writes?: readonly string[];
  /** Whether what it writes depends on a condition of its own. */
  readonly isConditional?: boolean;
  /** As in SqlInsert. */
  readonly neverWaits?: boolean;
}

/** A statement that is compiled once and run with other values each time. */
export class PreparedStatement {
  /** For each parameter, which of the given values it is; undefined where the values are the parameters. */
  private readonly order: readonly (number | { readonly constant: SqlValue })[] | undefined;

  /** Asks for the tree, whose places take the values in the order in which they were asked for. */
  static of(compiler: SqlCompiler, build: (place: ValuePlace) => SqlStatement): PreparedStatement {
    const slots: Slot[] = [];
    const statement = build((type = 'text') => {
      const slot: Slot = { slot: true };
      slots.push(slot);
      return param(slot, type);
    });
    return new PreparedStatement(compiler.statement(statement), slots);
  }

  private constructor(
    private readonly template: SqlTemplate,
    slots: readonly Slot[],
  ) {
    const { params } = template;
    if (params.length === slots.length && params.every((value, index) => value === slots[index])) return;
    const places = new Map(slots.map((slot, index) => [slot as unknown, index]));
    this.order = params.map((value) => places.get(value) ?? { constant: value as SqlValue });
  }

  get sql(): string {
    return this.template.sql;
  }

  with(values: readonly SqlValue[]): BoundStatement {
    const { sql, tables, writes, isConditional, neverWaits } = this.template;
    const params = this.order?.map((place) => (typeof place === 'number' ? values[place]! : place.constant)) ?? values;
    return { sql, params, tables, writes, isConditional, neverWaits };
  }
}
