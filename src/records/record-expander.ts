import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { MaybePromise } from '../kernel/maybe-promise.js';
import type { ExpandStep } from '../kernel/query/expand.js';
import { type Caller, GUEST } from '../kernel/records/caller.js';
import { RecordModel, type RecordRow } from '../kernel/records/record-model.js';
import { ExpressionCompiler } from '../kernel/resolve/expression-compiler.js';
import { PARENT } from '../kernel/resolve/lookup-compiler.js';
import { findRelation, type Relation } from '../kernel/resolve/relations.js';
import type { BoundSql } from '../kernel/sql/bound-sql.js';
import { RecordRules } from './record-rules.js';
import { SharedRows } from './shared-rows.js';

/** A step that can be followed, with those below it. */
interface Route {
  readonly name: string;
  readonly relation: Relation;
  /** The rule its records must satisfy; '' when there is none for this caller. */
  readonly rule: string;
  readonly routes: readonly Route[];
}

/**
 * Puts related records under the records they belong to (chapter 02 §8): level by level, one statement for each step
 * and portion of ids, under the view rule of the records' own collection. Always a part of a steady read, with records
 * that were read in it: what they are related to belongs to the same version of the catalog.
 */
@Injectable()
export class RecordExpander {
  constructor(
    private readonly store: CollectionStore,
    private readonly rules: RecordRules,
    private readonly expressions: ExpressionCompiler,
    private readonly rows: SharedRows,
  ) {}

  /** Fills `expand` of records of one collection. What cannot be followed or seen is left out without an error. */
  async expand(records: readonly RecordModel[], steps: readonly ExpandStep[], caller: Caller | null): Promise<void> {
    const collection = records[0]?.collection;
    if (!collection || steps.length === 0) return;
    const asker = caller?.withRequest({ context: 'expand' }) ?? null;
    for (const record of records) record.expand = undefined;
    const routes = this.plan(collection, steps, asker);
    if (routes.length > 0) await this.follow(records, routes, asker);
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

  /** The steps that lead somewhere; a path that does not is ignored as a whole (EXP-6). */
  private plan(collection: Collection, steps: readonly ExpandStep[], caller: Caller | null): Route[] {
    const full = caller === null || caller.isSuperuser;
    return steps.flatMap((step): Route[] => {
      const relation = findRelation(collection, step.name, this.store.catalog);
      if (!relation || (relation.field.hidden && !full)) return [];
      const rule = full ? '' : relation.target.viewRule;
      if (rule === null) return [];
      const routes = this.plan(relation.target, step.steps, caller);
      if (step.steps.length > 0 && routes.length === 0) return [];
      return [{ name: step.name, relation, rule, routes }];
    });
  }

  private async follow(
    records: readonly RecordModel[],
    routes: readonly Route[],
    caller: Caller | null,
  ): Promise<void> {
    for (const record of records) record.expand ??= {};
    for (const route of routes) {
      const related = await this.related(records, route, caller);
      if (route.routes.length > 0 && related.all.length > 0) await this.follow(related.all, route.routes, caller);
      for (const record of records) {
        const found = related.of(record);
        if (found.length > 0) record.expand![route.name] = route.relation.multi ? found : found[0]!;
      }
    }
  }

  private async related(
    records: readonly RecordModel[],
    route: Route,
    caller: Caller | null,
  ): Promise<{ readonly all: readonly RecordModel[]; readonly of: (record: RecordModel) => RecordModel[] }> {
    if (route.relation.kind === 'back') {
      const byParent = await this.backRelated(
        records.map((record) => record.id),
        route,
        caller,
      );
      const all = [...new Set([...byParent.values()].flat())];
      return { all, of: (record) => byParent.get(record.id) ?? [] };
    }
    const { name } = route.relation.field;
    const ids = [...new Set(records.flatMap((record) => idsOf(record, name)))];
    const byId = await this.targets(ids, route, caller);
    return {
      all: [...byId.values()],
      of: (record) => idsOf(record, name).flatMap((id) => byId.get(id) ?? []),
    };
  }

  private async targets(
    ids: readonly string[],
    { relation: { target }, rule }: Route,
    caller: Caller | null,
  ): Promise<Map<string, RecordModel>> {
    const rows = await this.rowsOf(target, () =>
      this.expressions.find({ ...this.rules.scope(target, caller ?? GUEST), rule, ids }),
    );
    return new Map(rows.map((row) => [row['id'] as string, RecordModel.fromRow(target, row)]));
  }

  private async backRelated(
    parents: readonly string[],
    { relation: { target, field }, rule }: Route,
    caller: Caller | null,
  ): Promise<Map<string, RecordModel[]>> {
    const rows = await this.rowsOf(target, () =>
      this.expressions.children({ ...this.rules.scope(target, caller ?? GUEST), rule, field, parents }),
    );
    const byParent = new Map<string, RecordModel[]>();
    const known = new Map<string, RecordModel>();
    for (const row of rows) {
      const id = row['id'] as string;
      const record = known.get(id) ?? RecordModel.fromRow(target, row);
      known.set(id, record);
      const parent = row[PARENT] as string;
      const siblings = byParent.get(parent);
      if (siblings) siblings.push(record);
      else byParent.set(parent, [record]);
    }
    return byParent;
  }

  /** A rule that means nothing shows nothing (REC-8). */
  private rowsOf(target: Collection, statement: () => BoundSql): MaybePromise<readonly RecordRow[]> {
    return this.rules.failClosed(target, [], () => this.rows.of(statement()));
  }
}

function idsOf(record: RecordModel, field: string): string[] {
  const value = record.get(field) as string | string[];
  return (Array.isArray(value) ? value : [value]).filter((id) => id !== '');
}
