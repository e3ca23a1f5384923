import type { OperandNode, Span } from '../filter/filter-node.js';
import { FilterError } from '../filter/filter.error.js';
import { requireFunction } from '../filter/functions.js';
import { isDateMacro, isMacro, macroValue } from '../filter/macros.js';
import type { SqlNode, SqlSelect } from '../sql/sql-node.js';
import { and, call, choose, compare, or, param } from '../sql/sql.js';
import type { CollectionResolver } from './collection-resolver.js';
import type { FieldResolver } from './field-resolver.js';
import type { Operand } from './operand.js';
import { parsePath } from './path.js';
import { valueOperand } from './request-operands.js';
import type { RequestResolver } from './request-resolver.js';
import type { ResolveContext } from './resolve-context.js';
import type { RowVariables } from './row-variables.js';
import { Value } from './value.js';

type CallNode = Extract<OperandNode, { kind: 'call' }>;

/** What SQLite takes for the present time. */
const NOW: readonly string[] = ['now', 'subsec', 'subsecond'];

/** What `@request` and `@collection` mean; where there is neither, they are unknown names. */
export interface GlobalResolvers {
  readonly request: RequestResolver;
  readonly collections: CollectionResolver;
}

const LITERALS: ReadonlyMap<string, number | null> = new Map([
  ['true', 1],
  ['false', 0],
  ['null', null],
]);

/** Every side of a comparison: macros, then names, then literals (§9.1), and calls. */
export class OperandResolver {
  constructor(
    private readonly context: ResolveContext,
    private readonly fields: FieldResolver,
    private readonly globals?: GlobalResolvers,
  ) {}

  resolve(node: OperandNode, rows: RowVariables): Operand {
    switch (node.kind) {
      case 'number':
      case 'text':
        return valueOperand(Value.constant(node.value));
      case 'identifier':
        return this.identifier(node.name, node.span, rows);
      case 'call':
        return this.call(node, rows);
    }
  }

  private identifier(name: string, span: Span, rows: RowVariables): Operand {
    if (isMacro(name)) return this.macro(name);
    const literal = LITERALS.get(name.toLowerCase());
    if (literal !== undefined && !this.fields.has(name)) {
      return valueOperand(Value.constant(literal), { isLiteral: true });
    }
    const path = parsePath(name, span);
    if (!name.startsWith('@')) return this.fields.resolve(path, rows);
    if (this.globals && path.segments[0] === '@request') return this.globals.request.resolve(path, rows);
    if (this.globals && path.segments[0] === '@collection') return this.globals.collections.resolve(path, rows);
    throw new FilterError(`Unknown name ${name}`, span);
  }

  private macro(name: string): Operand {
    const value = Value.of(({ now }) => macroValue(name, now)!, this.context.reader);
    return valueOperand(value, { isMoment: isDateMacro(name) });
  }

  private call(node: CallNode, rows: RowVariables): Operand {
    requireFunction(node);
    return node.name === 'geoDistance' ? this.geoDistance(node, rows) : this.strftime(node, rows);
  }

  private geoDistance(node: CallNode, rows: RowVariables): Operand {
    const args = node.args.map((argument) => this.resolve(argument, rows));
    const requires = and(...args.flatMap((argument) => argument.requires ?? []));
    return { kind: 'S', expression: call('geoDistance', ...args.map(({ expression }) => expression)), requires };
  }

  private strftime({ args }: CallNode, rows: RowVariables): Operand {
    const [format, time, ...modifiers] = args;
    const literals = modifiers.map((modifier) => this.resolve(modifier, rows).expression);
    const text = this.resolve(format!, rows).expression;
    if (!time || (time.kind === 'text' && NOW.includes(time.value.trim().toLowerCase()))) {
      return { kind: 'C', expression: call('strftime', text, this.now(), ...literals) };
    }
    const operand = this.resolve(time, rows);
    const { expression, requires, valueSet } = operand;
    const isSteady = time.kind !== 'identifier' || !mayBeText(operand);
    const at = (moment: SqlNode) => call('strftime', text, isSteady ? moment : this.withNow(moment), ...literals);
    const values = valueSet && (() => mapValues(valueSet(), at));
    return { kind: 'C', expression: at(expression), requires, valueSet: values };
  }

  /** Replaces the database's own current time by the one time of the request. */
  private withNow(time: SqlNode): SqlNode {
    const word = call('lower', time);
    return choose(or(...NOW.map((now) => compare(word, '=', param(now)))), this.now(), time);
  }

  private now(): SqlNode {
    return this.macro('@now').expression;
  }
}

/** Whether the value may be a word such as 'now'. Stored dates cannot be. */
function mayBeText({ kind, value, isMoment }: Operand): boolean {
  if (kind === 'V') return value?.shape === 'text' && isMoment !== true;
  return kind !== 'D' && kind !== 'N' && kind !== 'B';
}

function mapValues(query: SqlSelect, map: (value: SqlNode) => SqlNode): SqlSelect {
  return { ...query, columns: query.columns.map(({ value, as }) => ({ value: map(value), as })) };
}
