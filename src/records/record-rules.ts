import { Inject, Injectable, Logger } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { CLOCK } from '../config/roost-config.js';
import { Database } from '../database/database.js';
import { DatabaseError } from '../database/database.error.js';
import type { Clock } from '../kernel/clock.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import type { Caller } from '../kernel/records/caller.js';
import { RecordModel, type RecordRow } from '../kernel/records/record-model.js';
import { BrokenRuleError } from '../kernel/resolve/broken-rule.error.js';
import type { BoundSql } from '../kernel/sql/bound-sql.js';
import { ExpressionCompiler } from '../kernel/resolve/expression-compiler.js';
import type { ExpressionScope } from '../kernel/resolve/expression-scope.js';
import { explainBrokenView } from './read/broken-view.js';
import { recordNotFound } from './record-errors.js';
import { RecordRows } from './record-rows.js';
import { requireOpenRule, type RuleKind, ruleOf } from './rule-kind.js';

/** The column values of a record that is not stored. */
type CandidateRow = Readonly<Record<string, SqlValue>>;

const NONE: ReadonlySet<string> = new Set();

/**
 * Decides by rules what a caller may do. Rules are conditions in SQL; one that cannot be compiled or executed denies
 * (REC-8). Superusers, and code that acts without a caller, pass everywhere.
 */
@Injectable()
export class RecordRules {
  private readonly logger = new Logger('Rules');

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly rows: RecordRows,
    private readonly expressions: ExpressionCompiler,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The scope in which an expression of this collection is compiled for a caller at this moment. Where it is often
   * needed it is not spread into a query, which would give each an object of a new shape that V8 has to learn.
   */
  scope(collection: Collection, caller: Caller): ExpressionScope {
    return {
      catalog: this.store.catalog,
      collection,
      caller,
      now: this.database.ruleQuestions.prefetchedAt ?? this.clock.now(),
    };
  }

  /** The record with this id, if the rule lets the caller do this to it as it is stored. */
  find(
    collection: Collection,
    id: string,
    kind: RuleKind,
    caller: Caller | null,
  ): MaybePromise<RecordModel | undefined> {
    const rule = ruleOf(collection, kind);
    if (caller === null || caller.isSuperuser || rule === '') return this.rows.find(collection, id);
    if (rule === null) return undefined;
    return this.failClosed<RecordModel | undefined>(collection, undefined, () => {
      const { catalog, now } = this.scope(collection, caller);
      const statement = this.expressions.find({ catalog, collection, caller, now, rule, ids: [id] });
      const rows = explainBrokenView(collection, () => this.ask<RecordRow>(statement, now));
      return andThen(rows, ([row]) => row && RecordModel.fromRow(collection, row));
    });
  }

  /** As `find`. Throws 403 when only superusers may do this, 404 when there is no such record for this caller. */
  require(collection: Collection, id: string, kind: RuleKind, caller: Caller | null): MaybePromise<RecordModel> {
    if (caller) requireOpenRule(collection, kind, caller);
    return andThen(this.find(collection, id, kind, caller), (record) => {
      if (!record) throw recordNotFound();
      return record;
    });
  }

  /** Does the rule let the caller do this to the stored record? */
  holds(collection: Collection, id: string, kind: RuleKind, caller: Caller): MaybePromise<boolean> {
    return this.storedSatisfies(collection, id, ruleOf(collection, kind), caller);
  }

  /** Does the create rule hold on the record that would be? `row` gives its column values (RULE-6). */
  createHolds(collection: Collection, row: () => CandidateRow, caller: Caller): MaybePromise<boolean> {
    return this.wouldSatisfy(collection, row, collection.createRule, caller);
  }

  /** May the caller manage the stored record (RULE-9)? */
  manages(collection: Collection, id: string, caller: Caller): MaybePromise<boolean> {
    return andThen(this.managedIds(collection, [id], caller), (managed) => managed.has(id));
  }

  /** May the caller manage the record that would be? */
  wouldManage(collection: Collection, row: () => CandidateRow, caller: Caller): MaybePromise<boolean> {
    const rule = collection.auth?.manageRule;
    if (!rule || caller.isGuest) return false;
    return this.wouldSatisfy(collection, row, rule, caller);
  }

  /** Those of the records that the caller may manage; one statement. */
  managedIds(collection: Collection, ids: readonly string[], caller: Caller): MaybePromise<ReadonlySet<string>> {
    if (caller.isSuperuser) return new Set(ids);
    const rule = collection.auth?.manageRule;
    if (!rule || caller.isGuest) return NONE;
    return this.idsSatisfying(collection, ids, rule, caller);
  }

  /** Does a stored record satisfy an expression such as `authRule`? null never does, '' always. */
  satisfies(record: RecordModel, rule: string | null, caller: Caller): MaybePromise<boolean> {
    return this.storedSatisfies(record.collection, record.id, rule, caller);
  }

  /**
   * Whether a stored record satisfies an expression, without a caller. Throws what is wrong with the expression instead
   * of denying, because there is no safe default here.
   */
  async evaluate({ collection, id }: RecordModel, rule: string, caller: Caller): Promise<boolean> {
    return (await this.matchingIds(collection, [id], rule, caller)).has(id);
  }

  /** The stored records that satisfy an expression for a caller, and the problem when it cannot be evaluated. */
  async findPassing(
    collection: Collection,
    ids: readonly string[],
    rule: string,
    caller: Caller,
  ): Promise<{ readonly passing: ReadonlySet<string>; readonly problem?: string }> {
    try {
      const statement = this.expressions.findIds({ ...this.scope(collection, caller), rule, ids });
      const rows = await explainBrokenView(collection, () => this.database.reads.rows<{ id: string }>(statement));
      return { passing: new Set(rows.map(({ id }) => id)) };
    } catch (error) {
      if (!isOfTheRule(error)) throw error;
      return { passing: NONE, problem: error.message };
    }
  }

  /** Does a record that is not stored satisfy an expression? */
  wouldSatisfy(
    collection: Collection,
    row: () => CandidateRow,
    rule: string | null,
    caller: Caller,
  ): MaybePromise<boolean> {
    if (caller.isSuperuser || rule === '') return true;
    if (rule === null) return false;
    return this.failClosed<boolean>(collection, false, () => {
      const { catalog, now } = this.scope(collection, caller);
      const query = { catalog, collection, now, unstored: true };
      const decided = this.expressions.decide({ ...query, row, caller, rule });
      if (decided !== undefined) return decided;
      const checks = [{ caller, rule }];
      const { statement, broken } = this.expressions.candidates({ ...query, row: row(), checks });
      for (const { error } of broken) throw error;
      return statement !== undefined && andThen(this.ask(statement, now), (rows) => rows.length > 0);
    });
  }

  /** Runs a check; when its rule means nothing any more, the answer is no. */
  failClosed<T>(collection: Collection, denial: T, check: () => Promise<T>): Promise<T>;
  failClosed<T>(collection: Collection, denial: T, check: () => MaybePromise<T>): MaybePromise<T>;
  failClosed<T>(collection: Collection, denial: T, check: () => MaybePromise<T>): MaybePromise<T> {
    const deny = (error: unknown): T => {
      if (!isOfTheRule(error)) throw error;
      this.logger.warn(`A rule of "${collection.name}" denies because it cannot be evaluated: ${error.message}`);
      return denial;
    };
    try {
      const answer = this.database.transactions.attempt(check);
      return answer instanceof Promise ? answer.catch(deny) : answer;
    } catch (error) {
      return deny(error);
    }
  }

  private storedSatisfies(
    collection: Collection,
    id: string,
    rule: string | null,
    caller: Caller,
  ): MaybePromise<boolean> {
    if (caller.isSuperuser || rule === '') return true;
    if (rule === null) return false;
    return andThen(this.idsSatisfying(collection, [id], rule, caller), (ids) => ids.has(id));
  }

  /** Those of the stored records that satisfy an expression for a caller. */
  private idsSatisfying(
    collection: Collection,
    ids: readonly string[],
    rule: string,
    caller: Caller,
  ): MaybePromise<ReadonlySet<string>> {
    return this.failClosed(collection, NONE, () => this.matchingIds(collection, ids, rule, caller));
  }

  private ask<Row>(statement: BoundSql, now: number): MaybePromise<readonly Row[]> {
    if (!this.database.inTransaction) return this.database.reads.rows<Row>(statement);
    // A view may read any table.
    const tables = this.store.catalog.readsView(statement.tables) ? [] : statement.tables;
    return this.database.ruleQuestions.rows<Row>({ ...statement, tables, now });
  }

  private matchingIds(
    collection: Collection,
    ids: readonly string[],
    rule: string,
    caller: Caller,
  ): MaybePromise<ReadonlySet<string>> {
    const { catalog, now } = this.scope(collection, caller);
    const statement = this.expressions.find({ catalog, collection, caller, now, rule, ids });
    return andThen(this.ask<{ id: string }>(statement, now), (rows) => new Set(rows.map((row) => row.id)));
  }
}

/** Whether a failure says that the rule itself means nothing any more. */
function isOfTheRule(error: unknown): error is BrokenRuleError | DatabaseError {
  if (error instanceof DatabaseError) return error.kind === 'syntax' || error.kind === 'other';
  return error instanceof BrokenRuleError;
}
