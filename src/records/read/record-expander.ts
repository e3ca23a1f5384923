import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import { chunksOf } from '../../kernel/chunks-of.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { MaybePromise } from '../../kernel/maybe-promise.js';
import type { ExpandStep } from '../../kernel/query/expand.js';
import { type Caller, GUEST } from '../../kernel/records/caller.js';
import { RecordModel, type RecordRow } from '../../kernel/records/record-model.js';
import { ExpressionCompiler } from '../../kernel/resolve/expression-compiler.js';
import { MAX_CHILDREN, PARENT } from '../../kernel/resolve/lookup-compiler.js';
import { findRelation, type Relation } from '../../kernel/resolve/relations.js';
import type { BoundSql } from '../../kernel/sql/bound-sql.js';
import { AnswerLimits } from './answer-limits.js';
import { bytesOf, ExpandSize } from './expand-size.js';
import { RecordRules } from '../record-rules.js';
import { AnswerCache } from './answer-cache.js';

/** Ids of one statement. */
const PORTION = 1000;

/** Parents whose children are counted by one statement. */
const COUNTED_PARENTS = 50;

/** Rows of one statement of a back-relation. */
const CHILDREN_PORTION = 2000;

/** A step that can be followed, with those below it. */
interface Route {
  readonly name: string;
  /** The whole path that leads here. */
  readonly path: string;
  readonly relation: Relation;
  /** The rule its records must satisfy; '' when there is none for this caller. */
  readonly rule: string;
  readonly routes: readonly Route[];
}

/** Records, and how often each of them is written into the answer. */
type Written = ReadonlyMap<RecordModel, number>;

/** What one step leads to. */
interface Related {
  /** All of them. */
  readonly records: Written;
  /** Those of each record that has some. */
  readonly of: ReadonlyMap<RecordModel, readonly RecordModel[]>;
}

/** What is expanded for one answer. */
class Expansion {
  readonly turn = new EventLoopTurn();

  constructor(
    readonly caller: Caller | null,
    readonly size: ExpandSize,
  ) {}

  /** Lets other work run when the time slice is over. Throws when the client has disconnected. */
  pause(): Promise<void> | undefined {
    return this.turn.isOver ? this.next() : undefined;
  }

  private async next(): Promise<void> {
    await this.turn.next();
    if (this.caller?.request.isAbandoned) throw new BadRequestError('The client has gone away.');
  }
}

/**
 * Puts related records under the records they belong to (chapter 02 §8): level by level, one statement for each step
 * and portion of ids, under the view rule of the records' own collection. Always a part of a consistent read, with
 * records that were read in it: what they are related to belongs to the same version of the catalog.
 *
 * How many records a step adds to the answer is known before they are read: what would be too much is not begun
 * (EXP-12).
 */
@Injectable()
export class RecordExpander {
  constructor(
    private readonly store: CollectionStore,
    private readonly rules: RecordRules,
    private readonly expressions: ExpressionCompiler,
    private readonly answers: AnswerCache,
    private readonly limits: AnswerLimits,
  ) {}

  /**
   * Fills `expand` of records of one collection. What cannot be followed or seen is left out without an error; throws
   * 400 when the answer would hold too much: `size` is what it has already, where it has several parts.
   */
  async expand(
    records: readonly RecordModel[],
    steps: readonly ExpandStep[],
    caller: Caller | null,
    size = new ExpandSize(this.limits),
  ): Promise<void> {
    const collection = records[0]?.collection;
    if (!collection || steps.length === 0) return;
    const asker = caller?.withRequest({ context: 'expand' }) ?? null;
    for (const record of records) record.expand = undefined;
    const routes = this.plan(collection, steps, asker);
    if (routes.length === 0) return;
    const once = new Map(records.map((record) => [record, 1]));
    await this.follow(once, routes, new Expansion(asker, size));
  }

  /** The collections that the steps lead to, when none of them has a rule for this caller. */
  openTargets(
    collection: Collection,
    steps: readonly ExpandStep[],
    caller: Caller | null,
  ): readonly Collection[] | undefined {
    const targets: Collection[] = [];
    const gather = (routes: readonly Route[]): boolean =>
      routes.every(({ rule, relation, routes: below }) => {
        targets.push(relation.target);
        return rule === '' && gather(below);
      });
    return gather(this.plan(collection, steps, caller)) ? targets : undefined;
  }

  /** The steps that lead somewhere; one that does not ends its own path, whose beginning stays (EXP-13). */
  private plan(collection: Collection, steps: readonly ExpandStep[], caller: Caller | null, before = ''): Route[] {
    const full = caller === null || caller.isSuperuser;
    return steps.flatMap((step): Route[] => {
      const relation = findRelation(collection, step.name, this.store.catalog);
      if (!relation || (relation.field.hidden && !full)) return [];
      const rule = full ? '' : relation.target.viewRule;
      if (rule === null) return [];
      const path = `${before}${step.name}`;
      const routes = this.plan(relation.target, step.steps, caller, `${path}.`);
      return [{ name: step.name, path, relation, rule, routes }];
    });
  }

  private async follow(records: Written, routes: readonly Route[], expansion: Expansion): Promise<void> {
    for (const record of records.keys()) record.expand ??= {};
    for (const route of routes) {
      await expansion.pause();
      const related =
        route.relation.kind === 'back'
          ? await this.backRelated(records, route, expansion)
          : await this.targets(records, route, expansion);
      if (route.routes.length > 0 && related.records.size > 0) {
        await this.follow(related.records, route.routes, expansion);
      }
      for (const [record, found] of related.of) {
        record.expand![route.name] = route.relation.multi ? found : found[0]!;
      }
    }
  }

  private async targets(records: Written, route: Route, expansion: Expansion): Promise<Related> {
    const { size } = expansion;
    const { name } = route.relation.field;
    const ids = new Set<string>();
    let most = 0;
    for (const [record, times] of records) {
      const pause = expansion.pause();
      if (pause) await pause;
      const own = idsOf(record, name);
      for (const id of own) ids.add(id);
      most += times * own.length;
    }
    const portions = [...chunksOf([...ids], PORTION)];
    if (size.wouldExceed(most)) await this.countTargets(records, portions, route, expansion);
    const rows = new Map<string, RecordRow>();
    for (const portion of portions) {
      await expansion.pause();
      for (const row of await this.find(portion, route, expansion)) rows.set(row['id'] as string, row);
    }
    const gathering = new Gathering(route, size);
    for (const [record, times] of records) {
      const pause = expansion.pause();
      if (pause) await pause;
      for (const id of idsOf(record, name)) {
        const row = rows.get(id);
        if (row) gathering.add(record, times, row);
      }
    }
    return gathering;
  }

  /** Throws when those of the related records that exist and may be seen are too many. */
  private async countTargets(
    records: Written,
    portions: readonly (readonly string[])[],
    route: Route,
    expansion: Expansion,
  ): Promise<void> {
    const visible = new Set<string>();
    for (const ids of portions) {
      await expansion.pause();
      const query = this.query(route, expansion);
      const rows = await this.rowsOf(route.relation.target, () => this.expressions.findIds({ ...query, ids }));
      for (const row of rows) visible.add(row['id'] as string);
    }
    let count = 0;
    for (const [record, times] of records) {
      await expansion.pause();
      for (const id of idsOf(record, route.relation.field.name)) if (visible.has(id)) count += times;
      expansion.size.requireRoom(count, route.path);
    }
  }

  private async backRelated(records: Written, route: Route, expansion: Expansion): Promise<Related> {
    const { relation } = route;
    const byId = new Map([...records.keys()].map((record) => [record.id, record]));
    const gathering = new Gathering(route, expansion.size);
    const gather = (rows: readonly RecordRow[]) => {
      for (const row of rows) {
        const parent = byId.get(row[PARENT] as string);
        if (parent) gathering.add(parent, records.get(parent)!, row);
      }
    };
    const parents = [...byId.keys()];
    const most = [...records.values()].reduce((sum, times) => sum + times, 0) * (relation.multi ? MAX_CHILDREN : 1);
    if (parents.length <= PORTION && !expansion.size.wouldExceed(most)) {
      const rows = await this.children(parents, route, expansion, CHILDREN_PORTION);
      if (rows.length < CHILDREN_PORTION) {
        gather(rows);
        return gathering;
      }
    }
    const counts = await this.countChildren(records, parents, route, expansion);
    for (const portion of portionsByCount(counts)) {
      await expansion.pause();
      gather(await this.children(portion, route, expansion));
    }
    return gathering;
  }

  /** How many children each parent has that has some. Throws when they are too many. */
  private async countChildren(
    records: Written,
    parents: readonly string[],
    route: Route,
    expansion: Expansion,
  ): Promise<ReadonlyMap<string, number>> {
    const times = new Map([...records].map(([record, often]) => [record.id, often]));
    const counts = new Map<string, number>();
    let count = 0;
    for (const portion of chunksOf(parents, COUNTED_PARENTS)) {
      await expansion.pause();
      const query = { ...this.query(route, expansion), field: route.relation.field, parents: portion };
      const rows = await this.rowsOf(query.collection, () => this.expressions.countChildren(query));
      for (const row of rows) {
        const parent = row[PARENT] as string;
        const total = Number(row['total']);
        counts.set(parent, total);
        count += total * (times.get(parent) ?? 0);
      }
      expansion.size.requireRoom(count, route.path);
    }
    return counts;
  }

  private find(ids: readonly string[], route: Route, expansion: Expansion): MaybePromise<readonly RecordRow[]> {
    const query = this.query(route, expansion);
    return this.rowsOf(query.collection, () => this.expressions.find({ ...query, ids }));
  }

  private children(
    parents: readonly string[],
    route: Route,
    expansion: Expansion,
    limit?: number,
  ): MaybePromise<readonly RecordRow[]> {
    const query = { ...this.query(route, expansion), field: route.relation.field, parents, limit };
    return this.rowsOf(query.collection, () => this.expressions.children(query));
  }

  private query({ relation: { target }, rule }: Route, { caller }: Expansion) {
    return { ...this.rules.scope(target, caller ?? GUEST), rule };
  }

  /** A rule that means nothing shows nothing (REC-8). */
  private rowsOf(target: Collection, statement: () => BoundSql): MaybePromise<readonly RecordRow[]> {
    return this.rules.failClosed(target, [], () => this.answers.rows(statement()));
  }
}

/** Gathers what a step leads to, and counts it. One row is one record, however many lead to it. */
class Gathering implements Related {
  readonly records = new Map<RecordModel, number>();
  readonly of = new Map<RecordModel, RecordModel[]>();
  private readonly known = new Map<string, { readonly record: RecordModel; readonly bytes: number }>();

  constructor(
    private readonly route: Route,
    private readonly size: ExpandSize,
  ) {}

  add(parent: RecordModel, times: number, row: RecordRow): void {
    const { record, bytes } = this.recordOf(row);
    this.size.add(times, bytes, this.route.path);
    this.records.set(record, (this.records.get(record) ?? 0) + times);
    const siblings = this.of.get(parent);
    if (siblings) siblings.push(record);
    else this.of.set(parent, [record]);
  }

  private recordOf(row: RecordRow) {
    const id = row['id'] as string;
    let known = this.known.get(id);
    if (!known) {
      known = { record: RecordModel.fromRow(this.route.relation.target, row), bytes: bytesOf(row) };
      this.known.set(id, known);
    }
    return known;
  }
}

/** Parents whose children together make no more than a portion, or which are alone. */
function* portionsByCount(counts: ReadonlyMap<string, number>): Generator<readonly string[]> {
  let portion: string[] = [];
  let children = 0;
  for (const [parent, count] of counts) {
    if (portion.length > 0 && children + count > CHILDREN_PORTION) {
      yield portion;
      portion = [];
      children = 0;
    }
    portion.push(parent);
    children += count;
  }
  if (portion.length > 0) yield portion;
}

function idsOf(record: RecordModel, field: string): readonly string[] {
  const value = record.get(field) as string | string[];
  if (Array.isArray(value)) return value.includes('') ? value.filter((id) => id !== '') : value;
  return value === '' ? [] : [value];
}
