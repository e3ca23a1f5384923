import type { Collection } from '../collections/collection.js';
import { leavesOutEmpty, parseIndexes } from '../collections/index-definition.js';
import { isConcealed } from '../collections/shown-fields.js';
import type { FieldDefinition } from '../fields/field-definition.js';
import { FilterError } from '../filter/filter.error.js';
import { FilterValue } from '../sql/filter-value.js';
import type { SqlNode } from '../sql/sql-node.js';
import { call, choose, column, compare, EMPTY, FALSE, isNull, ONE, or, param, ZERO } from '../sql/sql.js';
import { fieldColumn } from './columns.js';
import type { ComparedKind, Operand } from './operand.js';
import type { Path } from './path.js';
import { jsonPath } from './path.js';
import type { Position } from './position.js';
import { findRelation, type Relation } from './relations.js';
import type { ResolveContext } from './resolve-context.js';
import { RowVariables, type RowLink } from './row-variables.js';
import { UnknownFieldError } from './unknown-field.error.js';

const MAX_HOPS = 6;

/** The value at the end of a path, in the chosen rows. */
interface Found {
  readonly kind: ComparedKind;
  readonly expression: SqlNode;
  readonly multi: boolean;
  readonly items?: () => SqlNode;
  readonly neverEmpty?: boolean;
  readonly neverNull?: boolean;
  readonly indexedWhenFilled?: boolean;
  readonly untyped?: boolean;
  readonly requires?: SqlNode;
}

/** Paths over records: fields, relations, back-relations, JSON and what modifiers make of them. */
export class RecordResolver {
  constructor(private readonly context: ResolveContext) {}

  /**
   * The operand a path stands for, from the record that `start` gives. `start` is called once more for the set of all
   * values, which begins again at the same record with row variables of its own.
   */
  resolve(path: Path, start: (rows: RowVariables) => Position, rows: RowVariables): Operand {
    const { multi, ...operand } = new PathWalk(this.context, path, rows).from(start(rows));
    if (!multi) return operand;
    const valueSet = () => {
      const own = new RowVariables(this.context.aliases);
      const { expression, requires } = new PathWalk(this.context, path, own).from(start(own));
      return own.values(expression, requires);
    };
    return { ...operand, valueSet };
  }
}

/** The way along one path, relation by relation, to the field at its end. */
class PathWalk {
  constructor(
    private readonly context: ResolveContext,
    private readonly path: Path,
    private readonly rows: RowVariables,
  ) {}

  from(start: Position): Found {
    const { segments } = this.path;
    let position = start;
    for (let index = 0; ; index++) {
      const segment = segments[index]!;
      const rest = segments.slice(index + 1);
      const relation = rest.length > 0 ? this.relation(position, segment) : undefined;
      if (!relation || isPlainId(relation, rest)) return this.field(position, segment, relation ? [] : rest);
      position = this.step(position, segment, relation);
    }
  }

  private relation(position: Position, segment: string): Relation | undefined {
    const relation = findRelation(position.collection, segment, this.context.catalog);
    return relation && this.context.guarded && relation.field.hidden ? undefined : relation;
  }

  private step(position: Position, segment: string, relation: Relation): Position {
    const { target } = relation;
    const { span } = this.path;
    // Checked before anything else about the relation, so that the answer does not reveal that it exists (GRD-8).
    if (this.context.guarded && target.listRule === null) throw new UnknownFieldError(segment, span);
    if (position.hops === MAX_HOPS) throw new FilterError(`More than ${MAX_HOPS} relations in a path`, span);
    const path = `${position.path}.${segment}`;
    const alias = this.rows.alias(path, this.guard(target, this.link(position, path, relation)));
    return {
      collection: target,
      path,
      hops: position.hops + 1,
      multi: position.multi || relation.multi,
      column: (field) => fieldColumn(target, field, alias),
    };
  }

  /** `path` is the way up to and with the relation. */
  private link(position: Position, path: string, { kind, field, target, multi }: Relation): RowLink {
    const source = (as: string) => ({ kind: 'table', name: target.name, as }) as const;
    if (kind === 'relation') {
      const on = (alias: string) => {
        const [id, related] = [column(alias, 'id'), position.column(field)];
        return multi ? this.isAmong(id, related, path) : compare(id, '=', related);
      };
      return { source, on };
    }
    if (position.unstored) return { source, on: () => FALSE };
    const id = position.column(position.collection.field('id')!);
    const many = target.typeOf(field).isMultiple(field);
    const back = (alias: string) => fieldColumn(target, field, alias);
    return { source, on: (alias) => (many ? this.isItem(id, back(alias)) : compare(back(alias), '=', id)) };
  }

  /** Is this the id of one of the related records, or of the one that `:each` of the same path is about? */
  private isAmong(id: SqlNode, related: SqlNode, path: string): SqlNode {
    const item = this.rows.find(`${path}:each`);
    return item === undefined ? this.isItem(id, related) : compare(id, '=', column(item, 'value'));
  }

  private isItem(value: SqlNode, of: SqlNode): SqlNode {
    const as = this.context.aliases.next('item');
    const columns = [{ value: column(as, 'value'), as: 'value' }];
    return { kind: 'in', value, query: { kind: 'select', columns, from: { kind: 'items', of, as } } };
  }

  /** The chosen item of a multi-valued field: `f:each` and `f.x` are about the same one (MM-2). */
  private item(position: Position, field: FieldDefinition): SqlNode {
    const path = `${position.path}.${field.name}`;
    const of = position.column(field);
    const link: RowLink = { source: (as) => ({ kind: 'items', of, as }), before: path };
    return column(this.rows.alias(`${path}:each`, link), 'value');
  }

  private guard(target: Collection, link: RowLink): RowLink {
    if (!this.context.guarded || target.listRule === '') return link;
    return {
      ...link,
      guard: (alias) => or(isNull(column(alias, 'id')), this.context.mayList(target, alias)),
    };
  }

  private field(position: Position, name: string, rest: readonly string[]): Found {
    const { modifier, span } = this.path;
    const field = position.collection.field(name);
    if (!field || (this.context.guarded && isConcealed(field))) {
      throw new UnknownFieldError(name, span);
    }
    const type = position.collection.typeOf(field);
    const kind = type.operandKind(field);
    const isPlain = type.filterValue === undefined;
    const value = type.filterValue?.(new FilterValue(position.column(field)), field).node ?? position.column(field);
    if (kind === 'J' || (kind === 'G' && rest.length > 0)) return this.json(position, value, name, rest);
    if (rest.length > 0) throw new UnknownFieldError(`${name}.${rest[0]}`, span);
    const { multi } = position;
    const requires = this.emailGuard(position, name);
    switch (modifier) {
      case '':
        return {
          kind,
          expression: value,
          multi,
          requires,
          items: kind === 'M' ? () => value : undefined,
          neverEmpty: name === 'id' && position.certain,
          neverNull: position.certain,
          indexedWhenFilled: isPlain && kind === 'T' && hasIndexOfFilled(position.collection, name),
          untyped: kind === 'N' && (position.collection.isView || !isPlain),
        };
      case 'lower':
        return { kind: 'C', expression: call('lower', value), multi, requires };
      case 'length':
      case 'each':
        if (!('maxSelect' in type.options)) break;
        return this.counted(position, field);
    }
    throw new FilterError(`:${modifier} does not go with ${JSON.stringify(name)}`, span);
  }

  /** What `:length` and `:each` stand for. */
  private counted(position: Position, field: FieldDefinition): Found {
    const many = position.collection.typeOf(field).operandKind(field) === 'M';
    const { multi } = position;
    const value = position.column(field);
    if (this.path.modifier === 'length') {
      const one = choose(compare(value, '>', EMPTY), ONE, ZERO);
      return { kind: 'C', expression: many ? call('arrayLength', value) : one, multi };
    }
    if (!many) return { kind: 'T', expression: value, multi };
    return { kind: 'T', expression: asText(this.item(position, field)), multi: true };
  }

  private json(position: Position, document: SqlNode, name: string, rest: readonly string[]): Found {
    const { modifier, span } = this.path;
    const { multi } = position;
    const inside = param(jsonPath(rest));
    const value = call('jsonValue', document, inside);
    switch (modifier) {
      case '':
        return { kind: 'J', expression: value, multi };
      case 'lower':
        return { kind: 'C', expression: call('lower', value), multi };
      case 'length':
        return { kind: 'C', expression: call('jsonLength', document, inside), multi };
      case 'each': {
        const key = [position.path, name, ...rest].join('.');
        const alias = this.rows.alias(`${key}:each`, { source: (as) => ({ kind: 'items', of: value, as }) });
        return { kind: 'J', expression: column(alias, 'value', 'json'), multi: true };
      }
      default:
        throw new FilterError(`:${modifier} does not go with ${JSON.stringify(name)}`, span);
    }
  }

  private emailGuard(position: Position, name: string): SqlNode | undefined {
    if (!this.context.guarded || name !== 'email' || !position.collection.isAuth) return undefined;
    const visible = position.collection.field('emailVisibility');
    return visible && compare(position.column(visible), '=', ONE);
  }
}

/** Items carry no type of their own, and are compared like a text column (CMP-1). */
export function asText(item: SqlNode): SqlNode {
  return { kind: 'cast', value: item, type: 'text' };
}

/** Whether an index holds only records in which this field is not empty, as that of an auth collection's `email`. */
function hasIndexOfFilled(collection: Collection, name: string): boolean {
  return parseIndexes(collection.indexes).some((index) => leavesOutEmpty(index, name));
}

/** `rel.id` of a single relation is `rel` itself (REF-6). */
function isPlainId(relation: Relation, rest: readonly string[]): boolean {
  return relation.kind === 'relation' && !relation.multi && rest.length === 1 && rest[0] === 'id';
}
