import { LRUCache } from 'lru-cache';
import type { CollectionCatalog } from '../collections/collection-catalog.js';
import type { Collection } from '../collections/collection.js';
import { decimalText } from '../decimal-text.js';
import { ForbiddenError } from '../errors/forbidden.error.js';
import type { SqlValue } from '../fields/field-type.js';
import { FilterError } from '../filter/filter.error.js';
import { hasSuperuserIdentifier } from '../filter/superuser-identifiers.js';
import type { Caller } from '../records/caller.js';
import type { RecordRow } from '../records/record-model.js';
import type { BoundSql } from '../sql/bound-sql.js';
import type { SqlCompiler } from '../sql/sql-compiler.js';
import { type Evaluator, evaluatorOf, type FindValue, UNDECIDED } from '../sql/sql-evaluator.js';
import type { SqlNode, SqlQuery, SqlSelect, SqlType } from '../sql/sql-node.js';
import { and, column, param } from '../sql/sql.js';
import type { BindScope } from './expression-scope.js';
import { BrokenRuleError } from './broken-rule.error.js';
import { columnType } from './columns.js';
import { CompiledCache } from './compiled-cache.js';
import { ExpressionBuilder, type ParseFilter } from './expression-builder.js';
import { PreparedSql } from './prepared-sql.js';
import { RequestSlot } from './request-slot.js';

// Names with a blank, which no collection has.
const RECORD = 'the record';
const CALLER = 'the caller';
const MAX_STATEMENTS = 200;
const MAX_CHARACTERS = 2_000_000;

/** One caller's right to one record. */
export interface CandidateCheck {
  readonly caller: Caller;
  /** Absent or empty: every record. */
  readonly rule?: string;
  /** A filter on top of the rule (RT-60). Absent or empty: every record. */
  readonly filter?: string;
  /** Whether the filter is that of a client who is no superuser (§13). */
  readonly guarded?: boolean;
}

/** Values of one record, which need not be stored, and the checks to make on it. */
export interface CandidateQuery {
  readonly catalog: CollectionCatalog;
  readonly collection: Collection;
  readonly now: number;
  readonly row: RecordRow;
  /** True for a record that is to be created: nothing points to it yet (RULE-7). */
  readonly unstored?: boolean;
  readonly checks: readonly CandidateCheck[];
}

/** One check on a record whose values are made when somebody asks for them. */
export interface DecisionQuery extends Omit<CandidateQuery, 'row' | 'checks'>, CandidateCheck {
  readonly row: () => RecordRow;
}

export interface CandidateStatement {
  /**
   * Gives a row for each check that is passed, with its position in the list as `index`. Absent when none can be
   * passed.
   */
  readonly statement?: BoundSql;
  /** Checks whose rule or filter cannot be compiled. They are not passed. */
  readonly broken: readonly { readonly index: number; readonly error: Error }[];
}

/** A compiled condition on the record, valid for all callers with the same assumptions. */
interface Condition {
  readonly id: number;
  readonly node: SqlNode;
  /** What of each caller it needs, in the order of a list. */
  readonly slots: readonly RequestSlot[];
  /** Absent where only the database can tell. */
  readonly evaluate?: Evaluator<Candidate>;
}

/** A record and a caller as a condition asks about them. */
interface Candidate {
  readonly row: () => RecordRow;
  readonly scope: BindScope;
}

/** Rules on a record whose values are given instead of stored, for any number of callers in one statement. */
export class CandidateCompiler {
  private readonly conditions = new CompiledCache<Condition>();
  private readonly statements = new LRUCache<string, PreparedSql>({
    max: MAX_STATEMENTS,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ size }, key) => size + key.length,
  });
  private lastId = 0;

  constructor(
    private readonly newCompiler: () => SqlCompiler,
    private readonly parse: ParseFilter,
  ) {}

  compile(query: CandidateQuery): CandidateStatement {
    const groups = new Map<Condition, SqlValue[][]>();
    const broken: { index: number; error: Error }[] = [];
    query.checks.forEach((check, index) => {
      const scope = { caller: check.caller, now: query.now };
      try {
        const condition = this.condition(query, check, scope);
        const values = [index, ...condition.slots.map((slot) => slot.read(scope))];
        const group = groups.get(condition);
        if (group) group.push(values);
        else groups.set(condition, [values]);
      } catch (error) {
        if (!isMeaningless(error)) throw error;
        broken.push({ index, error });
      }
    });
    return { statement: groups.size > 0 ? this.bind(query, groups) : undefined, broken };
  }

  /**
   * Whether a record passes a check that needs nothing but the values at hand; undefined where only the database can
   * tell. Throws what is wrong with the check.
   */
  decide(query: DecisionQuery): boolean | undefined {
    const scope = { caller: query.caller, now: query.now };
    const { evaluate } = this.condition(query, query, scope);
    if (!evaluate) return undefined;
    let row: RecordRow | undefined;
    const decided = evaluate({ row: () => (row ??= query.row()), scope });
    return decided === UNDECIDED ? undefined : decided !== null && decided !== 0;
  }

  private bind(query: CandidateQuery, groups: ReadonlyMap<Condition, SqlValue[][]>): BoundSql {
    const { collection, row, checks, now } = query;
    const conditions = [...groups.keys()];
    const key = conditions.map(({ id }) => id).join();
    let prepared = this.statements.get(key);
    if (!prepared) {
      prepared = new PreparedSql(this.newCompiler().statement(statement(collection, conditions)));
      this.statements.set(key, prepared);
    }
    const values = collection.fields.map(({ name }) => castable(row[name] ?? null));
    const callers = [...groups.values()].map((group) => JSON.stringify(group));
    return prepared.bind({ caller: checks[0]!.caller, now, args: [...values, ...callers] });
  }

  private condition(query: Omit<CandidateQuery, 'row' | 'checks'>, check: CandidateCheck, scope: BindScope): Condition {
    const { catalog, collection, unstored = false } = query;
    const { rule = '', filter = '', guarded = false } = check;
    const key = `${guarded ? 'guarded' : 'open'} ${unstored ? 'unstored' : 'stored'}\0${rule}\0${filter}`;
    return this.conditions.get(catalog, collection, key, scope, () => {
      const slots: RequestSlot[] = [];
      const place = (slot: RequestSlot, type: SqlType): SqlNode => {
        slots.push(slot);
        return { kind: 'listItem', list: column(CALLER, 'value', 'json'), index: slots.length, type };
      };
      const builder = new ExpressionBuilder(catalog, this.parse, scope, place);
      const target = { collection, alias: RECORD, unstored };
      const conditions: SqlNode[] = [];
      if (rule !== '') conditions.push(builder.rule(rule, target));
      if (filter !== '') {
        if (guarded && hasSuperuserIdentifier(filter)) throw new ForbiddenError();
        conditions.push(builder.expression(this.parse(filter), { ...target, guarded }));
      }
      const node = and(...conditions);
      const size = this.newCompiler().expression(node).sql.length;
      const evaluate = evaluatorOf(node, findValue(slots));
      return { reader: builder.reader, compiled: { id: ++this.lastId, node, slots, evaluate }, size };
    });
  }
}

function findValue(slots: readonly RequestSlot[]): FindValue<Candidate> {
  return (node) => {
    if (node.kind === 'column' && node.alias === RECORD) return ({ row }) => row()[node.name] ?? null;
    if (node.kind !== 'listItem') return undefined;
    const slot = slots[node.index - 1]!;
    return ({ scope }) => slot.read(scope);
  };
}

/** Drivers may bind 1 as 1.0, so a number is passed as text and cast, which gives what a column would hold. */
function castable(value: SqlValue): SqlValue {
  return Number.isInteger(value) ? decimalText(value as number) : value;
}

function isMeaningless(error: unknown): error is Error {
  return error instanceof BrokenRuleError || error instanceof FilterError || error instanceof ForbiddenError;
}

function statement(collection: Collection, conditions: readonly Condition[]): SqlQuery {
  const { fields } = collection;
  const columns = fields.map((field, index) => {
    const type = columnType(collection, field);
    return { value: { kind: 'cast', value: argument(index, type), type } as const, as: field.name };
  });
  const record: SqlQuery = { kind: 'select', columns };
  const selects = conditions.map((condition, index) => passed(condition, argument(fields.length + index, 'json')));
  const [only] = selects;
  const common = { name: RECORD, query: record };
  return selects.length === 1 ? { ...only!, with: common } : { kind: 'unionAll', with: common, queries: selects };
}

/** The callers of one condition who pass it. */
function passed({ node }: Condition, callers: SqlNode): SqlSelect {
  const list = column(CALLER, 'value', 'json');
  return {
    kind: 'select',
    columns: [{ value: { kind: 'listItem', list, index: 0, type: 'number' }, as: 'index' }],
    from: { kind: 'items', of: callers, as: CALLER },
    joins: [{ kind: 'cross', source: { kind: 'common', name: RECORD, as: RECORD } }],
    where: node.kind === 'truth' && node.value ? undefined : node,
  };
}

function argument(index: number, type: SqlType): SqlNode {
  return param(new RequestSlot(({ args }) => args![index]!), type);
}
