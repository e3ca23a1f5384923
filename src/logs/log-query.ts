import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import { Collection } from '../kernel/collections/collection.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { normalizeFieldDefinition } from '../kernel/fields/normalize-field-definition.js';
import { FilterError } from '../kernel/filter/filter.error.js';
import { MAX_CLIENT_FILTER_BYTES, requireFilterLength } from '../kernel/filter/parse-filter.js';
import { invalidQuery } from '../kernel/query/invalid-query.js';
import { GUEST } from '../kernel/records/caller.js';
import { BrokenRuleError } from '../kernel/resolve/broken-rule.error.js';
import { ExpressionCompiler } from '../kernel/resolve/expression-compiler.js';
import type { ListStatements } from '../kernel/resolve/list-statements.js';
import type { BoundSql } from '../kernel/sql/bound-sql.js';
import { LOGS_TABLE } from './log-rows.js';

const COLUMNS = [
  { name: 'id', type: 'text', primaryKey: true },
  { name: 'created', type: 'date' },
  { name: 'level', type: 'number' },
  { name: 'message', type: 'text' },
  { name: 'data', type: 'json' },
];

/**
 * Filters and sorts over log entries, in the language of records: the table is described as if it were a collection.
 */
@Injectable()
export class LogQuery {
  private readonly logs: Collection;
  private readonly catalog: CatalogSnapshot;

  constructor(
    private readonly expressions: ExpressionCompiler,
    types: FieldTypeRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    const fields = COLUMNS.map((column) => normalizeFieldDefinition({ id: column.name, ...column }, types).definition!);
    const closed = { listRule: null, viewRule: null, createRule: null, updateRule: null, deleteRule: null };
    const dates = { created: '', updated: '' };
    this.logs = new Collection(
      { id: LOGS_TABLE, name: LOGS_TABLE, type: 'base', system: true, fields, indexes: [], ...closed, ...dates },
      types,
    );
    this.catalog = new CatalogSnapshot([this.logs]);
  }

  /**
   * The statements of a list, with at most `limit` on a page, newest first unless asked otherwise. Throws 400 for a bad
   * filter or sort.
   */
  list(filter: string, sort: string, limit: number): ListStatements {
    return this.compiled(filter, () =>
      this.expressions.list({
        ...this.scope(),
        filter,
        sort: sort === '' ? '-@rowid' : withRowid(sort),
        limit,
        columnsOnly: true,
      }),
    );
  }

  /** Gives rows with an `hour` and its `total`, oldest first. Throws 400 for a bad filter. */
  countByHour(filter: string): BoundSql {
    return this.compiled(filter, () =>
      this.expressions.countByHour({ ...this.scope(), rule: filter, time: 'created' }),
    );
  }

  private scope() {
    return { catalog: this.catalog, collection: this.logs, caller: GUEST, now: this.clock.now() };
  }

  private compiled<T>(filter: string, compile: () => T): T {
    try {
      requireFilterLength(filter, { maxBytes: MAX_CLIENT_FILTER_BYTES });
      return compile();
    } catch (error) {
      if (error instanceof FilterError) throw invalidQuery('filter', error);
      if (error instanceof BrokenRuleError) throw invalidQuery('filter', error.cause);
      throw error;
    }
  }
}

/** The order of insertion has a second name here (OPS-90). */
function withRowid(sort: string): string {
  return sort.replace(/(?<=^|,)(\s*[-+]?)rowid(?=\s*(?:,|$))/g, '$1@rowid');
}
