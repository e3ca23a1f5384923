import type { SqlValue } from '../fields/field-type.js';
import type { BoundSql } from '../sql/bound-sql.js';
import type { SqlTemplate } from '../sql/sql-compiler.js';
import type { BindScope } from './expression-scope.js';
import { RequestSlot } from './request-slot.js';

/** Compiled SQL that is filled with the values of one request after the other. */
export class PreparedSql {
  private readonly sql: string;
  private readonly tables: readonly string[];
  private readonly constants: readonly SqlValue[];
  private readonly slots: readonly { readonly index: number; readonly slot: RequestSlot }[];

  constructor({ sql, params, tables }: SqlTemplate) {
    this.sql = sql;
    this.tables = tables;
    this.constants = params.map((param) => (param instanceof RequestSlot ? null : (param as SqlValue)));
    this.slots = params.flatMap((slot, index) => (slot instanceof RequestSlot ? { index, slot } : []));
  }

  get size(): number {
    return this.sql.length;
  }

  bind(scope: BindScope): BoundSql {
    const params = this.constants.slice();
    for (const { index, slot } of this.slots) params[index] = slot.read(scope);
    return { sql: this.sql, params, tables: this.tables, ip: scope.caller.ip };
  }
}
