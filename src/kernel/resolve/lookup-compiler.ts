import type { Collection } from '../collections/collection.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import type { BoundSql } from '../sql/bound-sql.js';
import type { SqlCompiler } from '../sql/sql-compiler.js';
import type { SqlNode, SqlQuery, SqlSelect, SqlSource } from '../sql/sql-node.js';
import { and, call, column, compare, param } from '../sql/sql.js';
import { fieldColumn, insertionOrder, rowColumns } from './columns.js';
import { CompiledCache } from './compiled-cache.js';
import { ExpressionBuilder, type ParseFilter } from './expression-builder.js';
import type { ExpressionScope } from './expression-scope.js';
import { PreparedSql } from './prepared-sql.js';
import { RequestSlot } from './request-slot.js';

/** How many records of a back-relation one record shows (EXP-8). */
export const MAX_CHILDREN = 1000;
/** The column in which `children` gives the parent of a row. No field has this name. */
export const PARENT = 'the parent';
const CHILD = 'the child';

export interface FindQuery extends ExpressionScope {
  readonly ids: readonly string[];
  /** Absent or empty: every record. */
  readonly rule?: string;
}

export interface ChildrenQuery extends ExpressionScope {
  /** The relation field of `collection` that points to the parents. */
  readonly field: FieldDefinition;
  readonly parents: readonly string[];
  /** Absent or empty: every record. */
  readonly rule?: string;
  /** The most rows. */
  readonly limit?: number;
}

export interface HoursQuery extends ExpressionScope {
  /** The name of a column with times. */
  readonly time: string;
  /** Absent or empty: every row. */
  readonly rule?: string;
}

/** Records by their ids, and records that point to others by theirs: one statement for any number of ids. */
export class LookupCompiler {
  private readonly statements = new CompiledCache<PreparedSql>();

  constructor(
    private readonly newCompiler: () => SqlCompiler,
    private readonly parse: ParseFilter,
  ) {}

  find(query: FindQuery): BoundSql {
    return this.found(query, 'find', rowColumns(query.collection));
  }

  /** Of the rows that `find` gives, the ids. */
  findIds(query: FindQuery): BoundSql {
    return this.found(query, 'ids', [{ value: column(query.collection.name, 'id'), as: 'id' }]);
  }

  /** Rows in order of insertion, each with the id of its parent in the column PARENT. */
  children(query: ChildrenQuery): BoundSql {
    const { collection, field, rule = '', limit } = query;
    const prepared = this.prepared(query, `children ${limit} ${field.id}\0${rule}`, (builder) => ({
      kind: 'select',
      columns: [...rowColumns(collection), { value: column(CHILD, 'parent'), as: PARENT }],
      from: { kind: 'query', query: this.links(builder, collection, field, rule), as: CHILD },
      joins: [
        {
          kind: 'inner',
          source: table(collection),
          on: compare(column(collection.name, 'id'), '=', column(CHILD, 'id')),
        },
      ],
      where: compare(column(CHILD, 'place', 'number'), '<=', param(MAX_CHILDREN)),
      order: [{ value: insertionOrder(collection, collection.name), descending: false }],
      limit,
    }));
    return prepared.bind({ caller: query.caller, now: query.now, args: [JSON.stringify(query.parents)] });
  }

  /**
   * How many rows `children` gives of each parent that has some: its id in the column PARENT, their number in `total`.
   */
  countChildren(query: ChildrenQuery): BoundSql {
    const { collection, field, rule = '' } = query;
    const prepared = this.prepared(query, `count children ${field.id}\0${rule}`, (builder) => ({
      kind: 'select',
      columns: [
        { value: column(CHILD, 'parent'), as: PARENT },
        { value: call('count'), as: 'total' },
      ],
      from: { kind: 'query', query: this.links(builder, collection, field, rule), as: CHILD },
      where: compare(column(CHILD, 'place', 'number'), '<=', param(MAX_CHILDREN)),
      groupBy: [column(CHILD, 'parent')],
    }));
    return prepared.bind({ caller: query.caller, now: query.now, args: [JSON.stringify(query.parents)] });
  }

  /** How many rows with a time there are in each hour that has some, oldest first: the time up to it, and `total`. */
  countByHour(query: HoursQuery): BoundSql {
    const { collection, time, rule = '' } = query;
    const prepared = this.prepared(query, `hours ${time}\0${rule}`, (builder) => {
      const hour = call('hour', column(collection.name, time));
      return {
        kind: 'select',
        columns: [
          { value: hour, as: 'hour' },
          { value: call('count'), as: 'total' },
        ],
        from: table(collection),
        where: rule === '' ? undefined : condition(builder, collection, rule),
        groupBy: [hour],
        order: [{ value: hour, descending: false }],
      };
    });
    return prepared.bind(query);
  }

  private found(query: FindQuery, name: string, columns: SqlSelect['columns']): BoundSql {
    const { ids, collection, rule = '' } = query;
    const id = column(collection.name, 'id');
    const single = ids.length === 1;
    const prepared = this.prepared(query, `${name} ${single ? 'one' : 'all'}\0${rule}`, (builder) => {
      const wanted = single ? compare(id, '=', argument()) : isAmong(id);
      const where = and(wanted, condition(builder, collection, rule));
      return { kind: 'select', columns, from: table(collection), where };
    });
    return prepared.bind({ caller: query.caller, now: query.now, args: [single ? ids[0]! : JSON.stringify(ids)] });
  }

  /** Ids of children with those of their parents, before the rows are read. */
  private links(builder: ExpressionBuilder, collection: Collection, field: FieldDefinition, rule: string): SqlSelect {
    const related = fieldColumn(collection, field, collection.name);
    const many = collection.typeOf(field).isMultiple(field);
    const parent = many ? column(PARENT, 'value') : related;
    return {
      kind: 'select',
      columns: [
        { value: column(collection.name, 'id'), as: 'id' },
        { value: parent, as: 'parent' },
        {
          value: { kind: 'rowNumber', among: parent, order: insertionOrder(collection, collection.name) },
          as: 'place',
        },
      ],
      from: table(collection),
      joins: many ? [{ kind: 'cross', source: { kind: 'items', of: related, as: PARENT } }] : [],
      where: and(isAmong(parent), condition(builder, collection, rule)),
    };
  }

  private prepared(query: ExpressionScope, key: string, tree: (builder: ExpressionBuilder) => SqlQuery): PreparedSql {
    const { catalog, collection } = query;
    return this.statements.get(catalog, collection, key, query, () => {
      const builder = new ExpressionBuilder(catalog, this.parse, query);
      const compiled = new PreparedSql(this.newCompiler().statement(tree(builder)));
      return { reader: builder.reader, compiled, size: compiled.size };
    });
  }
}

function condition(builder: ExpressionBuilder, collection: Collection, rule: string): SqlNode {
  return rule === '' ? and() : builder.rule(rule, { collection, alias: collection.name });
}

function table({ name }: Collection): SqlSource {
  return { kind: 'table', name, as: name };
}

/** Ids come as one JSON list, so that the text is the same for any number of them. */
function isAmong(value: SqlNode): SqlNode {
  const columns = [{ value: column('the id', 'value'), as: 'value' }];
  const from: SqlSource = { kind: 'items', of: listArgument(), as: 'the id' };
  return { kind: 'in', value, query: { kind: 'select', columns, from } };
}

function argument(): SqlNode {
  return param(new RequestSlot(({ args }) => args![0]!), 'text');
}

/** As a JSON list. */
function listArgument(): SqlNode {
  return param(new RequestSlot(({ args }) => args![0]!), 'array');
}
