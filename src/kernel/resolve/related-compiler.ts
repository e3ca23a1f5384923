import type { BoundSql } from '../sql/bound-sql.js';
import type { SqlCompiler } from '../sql/sql-compiler.js';
import type { SqlNode, SqlQuery, SqlSource, SqlType } from '../sql/sql-node.js';
import { and, column, compare, param, TRUE } from '../sql/sql.js';
import { fieldColumn, insertionOrder, rowColumns } from './columns.js';
import { CompiledCache } from './compiled-cache.js';
import { ExpressionBuilder, type ParseFilter } from './expression-builder.js';
import type { ExpressionScope } from './expression-scope.js';
import { PreparedSql } from './prepared-sql.js';
import type { Relation } from './relations.js';
import { RequestSlot } from './request-slot.js';

/** The column with the id of the record that a row of a back-relation belongs to. No field has this name. */
const SOURCE = '@source';

/** Records that others are related to. `collection` is that of the related records, the relation's target. */
export interface RelatedQuery extends ExpressionScope {
  readonly relation: Relation;
  /** What the related records must satisfy. Empty: nothing. */
  readonly rule: string;
  /** For a relation ids of the related records, for a back-relation those of the records they point to. */
  readonly ids: readonly string[];
  /** How many records of a back-relation each of the ids gets at most. */
  readonly limit: number;
}

/** Statements that follow one relation from many records at once, whose text is the same for any number of ids. */
export class RelatedCompiler {
  private readonly statements = new CompiledCache<PreparedSql>();

  constructor(
    private readonly newCompiler: () => SqlCompiler,
    private readonly parse: ParseFilter,
  ) {}

  compile(query: RelatedQuery): BoundSql {
    const { catalog, collection, relation, rule, caller, now, ids, limit } = query;
    const key = `${relation.kind} ${relation.field.id}\0${rule}`;
    const prepared = this.statements.get(catalog, collection, key, query, () => {
      const builder = new ExpressionBuilder(catalog, this.parse, query);
      const condition = rule === '' ? TRUE : builder.rule(rule, { collection, alias: collection.name });
      const tree = relation.kind === 'relation' ? forward(relation, condition) : backward(relation, condition);
      return { reader: builder.reader, compiled: new PreparedSql(this.newCompiler().statement(tree)) };
    });
    return prepared.bind({ caller, now, args: [JSON.stringify(ids), limit] });
  }
}

function forward({ target }: Relation, condition: SqlNode): SqlQuery {
  const where = and(isAmong(column(target.name, 'id')), condition);
  return { kind: 'select', columns: rowColumns(target), from: tableOf(target), where };
}

/** Chooses by ids first, so that rows are read only of those that are shown. */
function backward({ target, field }: Relation, condition: SqlNode): SqlQuery {
  const related = fieldColumn(target, field, target.name);
  const many = target.typeOf(field).isMultiple(field);
  const source = many ? column('the source', 'value') : related;
  const place: SqlNode = { kind: 'rowNumber', among: source, order: insertionOrder(target, target.name) };
  const links: SqlQuery = {
    kind: 'select',
    columns: [
      { value: column(target.name, 'id'), as: 'id' },
      { value: source, as: SOURCE },
      { value: place, as: 'place' },
    ],
    from: tableOf(target),
    joins: many ? [{ kind: 'cross', source: { kind: 'items', of: related, as: 'the source' } }] : [],
    where: and(isAmong(source), condition),
  };
  const sameId = compare(column(target.name, 'id'), '=', column('the link', 'id'));
  return {
    kind: 'select',
    columns: [...rowColumns(target), { value: column('the link', SOURCE), as: SOURCE }],
    from: { kind: 'query', query: links, as: 'the link' },
    joins: [{ kind: 'inner', source: tableOf(target), on: sameId }],
    where: compare(column('the link', 'place', 'number'), '<=', argument(1, 'number')),
    order: [{ value: insertionOrder(target, target.name), descending: false }],
  };
}

function tableOf({ name }: Relation['target']): SqlSource {
  return { kind: 'table', name, as: name };
}

/** The ids come as one JSON list. */
function isAmong(value: SqlNode): SqlNode {
  const columns = [{ value: column('the id', 'value'), as: 'value' }];
  const from: SqlSource = { kind: 'items', of: argument(0, 'array'), as: 'the id' };
  return { kind: 'in', value, query: { kind: 'select', columns, from } };
}

function argument(index: number, type: SqlType): SqlNode {
  return param(new RequestSlot(({ args }) => args![index]!), type);
}
