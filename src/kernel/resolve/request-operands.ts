import { asciiLower } from '../ascii-lower.js';
import type { OperandKind } from '../fields/field-type.js';
import { FilterError } from '../filter/filter.error.js';
import type { SqlNode } from '../sql/sql-node.js';
import { column, NULL } from '../sql/sql.js';
import type { BindScope } from './expression-scope.js';
import type { Operand } from './operand.js';
import type { Path } from './path.js';
import { asText } from './record-resolver.js';
import type { ResolveContext } from './resolve-context.js';
import { type RowLink, RowVariables } from './row-variables.js';
import { toSqlValue, Value } from './value.js';

/** What `:each` goes through. */
interface RequestList {
  /** As it stands in the expression: the same name is the same item. */
  readonly name: string;
  /** That of the field it belongs to, undefined when there is none. */
  readonly kind: OperandKind | undefined;
  readonly read: (scope: BindScope) => unknown;
}

/** Makes operands of what is read from a request. */
export class RequestOperands {
  constructor(readonly context: ResolveContext) {}

  /** A value, with the one modifier that every value takes applied. */
  value(read: (scope: BindScope) => unknown, path: Path): Operand {
    switch (path.modifier) {
      case '':
        return valueOperand(Value.of((scope) => toSqlValue(read(scope)), this.context.reader));
      case 'lower':
        return valueOperand(Value.of((scope) => lower(read(scope)), this.context.reader));
      default:
        throw new FilterError(`:${path.modifier} does not go with this value`, path.span);
    }
  }

  /** A truth about the request, which is compared null-safely. */
  truth(holds: (scope: BindScope) => boolean): Operand {
    return { kind: 'S', expression: this.context.reader.node((scope) => (holds(scope) ? 1 : 0), 'number') };
  }

  /** `:length`: items of a list; otherwise 1 for a single value that is not empty, 0 for JSON that is no list. */
  length(read: (scope: BindScope) => unknown, single: boolean): Operand {
    const length = (value: unknown) => (Array.isArray(value) ? value.length : single && !isEmpty(value) ? 1 : 0);
    return { kind: 'C', expression: this.context.reader.node((scope) => length(read(scope)), 'number') };
  }

  /** The JSON list a multi-valued field would be stored as: one value is a list of it, and nothing is no item. */
  items(read: (scope: BindScope) => unknown): SqlNode {
    const list = (value: unknown) => JSON.stringify(toList(value).filter((item) => !isEmpty(item)));
    return this.context.reader.node((scope) => list(read(scope)), 'array');
  }

  /**
   * `:each`: the items of a list in turn; what is no list is its own only item. Those of a multi-valued field are
   * texts, a single-valued one is just its value, anything else is JSON.
   */
  each({ name, kind, read }: RequestList, rows: RowVariables): Operand {
    if (kind === 'T') return valueOperand(Value.of((scope) => toSqlValue(read(scope)), this.context.reader));
    const list = this.context.reader.node((scope) => JSON.stringify(toList(read(scope))), 'json');
    const link: RowLink = { source: (as) => ({ kind: 'items', of: list, as }), before: name };
    const item = (variables: RowVariables) => {
      const value = column(variables.alias(`${name}:each`, link), 'value', 'json');
      return kind === 'M' ? asText(value) : value;
    };
    const valueSet = () => {
      const own = new RowVariables(this.context.aliases);
      return own.values(item(own));
    };
    return { kind: kind === 'M' ? 'T' : 'J', expression: item(rows), valueSet };
  }
}

export function valueOperand(value: Value, more: Partial<Operand> = {}): Operand {
  return {
    kind: 'V',
    value,
    // Computed on access: most comparisons convert the value first, and every node takes up a slot.
    get expression() {
      return value.toNode();
    },
    ...more,
  };
}

export const NOTHING: Operand = { kind: 'V', value: Value.constant(null), expression: NULL };

/** What stands at a path inside a value; undefined when there is nothing. Digits are indexes of lists. */
export function valueAt(value: unknown, names: readonly string[]): unknown {
  let found = value;
  for (const name of names) {
    if (typeof found !== 'object' || found === null) return undefined;
    if (Array.isArray(found) ? !/^\d+$/.test(name) : !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

function lower(value: unknown): string | null {
  const plain = toSqlValue(value);
  return plain === null ? null : asciiLower(String(plain));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function toList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}
