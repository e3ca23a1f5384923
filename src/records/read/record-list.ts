import { Injectable } from '@nestjs/common';
import { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import type { Collection } from '../../kernel/collections/collection.js';
import type { FilterNode } from '../../kernel/filter/filter-node.js';
import { MAX_CLIENT_FILTER_BYTES, requireFilterLength } from '../../kernel/filter/parse-filter.js';
import { FilterError } from '../../kernel/filter/filter.error.js';
import { invalidQuery } from '../../kernel/query/invalid-query.js';
import type { ExpandStep } from '../../kernel/query/expand.js';
import { type ListPage, type Page, pageOffset, toListPage } from '../../kernel/query/page.js';
import { type Caller, GUEST } from '../../kernel/records/caller.js';
import { RecordModel, type RecordRow } from '../../kernel/records/record-model.js';
import { BrokenRuleError } from '../../kernel/resolve/broken-rule.error.js';
import { ExpressionCompiler } from '../../kernel/resolve/expression-compiler.js';
import type { ListStatements } from '../../kernel/resolve/list-statements.js';
import { isAnyNarrowed, isNarrowed } from '../../kernel/resolve/narrow-columns.js';
import { explainBrokenView } from './broken-view.js';
import { RecordRows } from '../record-rows.js';
import { RecordExpander } from './record-expander.js';
import { RecordRules } from '../record-rules.js';
import { RecordTotals } from './record-totals.js';
import { requireOpenRule } from '../rule-kind.js';
import { AnswerCache } from './answer-cache.js';

/** A list as it is asked for. */
export interface ListRequest {
  /** For whom; null acts with full rights. */
  readonly caller: Caller | null;
  readonly page: Page;
  /** A text, or a tree with values bound by code. '' is none. */
  readonly filter: string | FilterNode;
  readonly sort: string;
  /** What hooks add to the filter. */
  readonly narrowedBy?: readonly FilterNode[];
  readonly expand: readonly ExpandStep[];
}

/** What a list found. */
export interface ListResult {
  readonly rows: readonly RecordRow[];
  /** Undefined where nobody counted. */
  readonly totalItems: number | undefined;
}

/** A list that was found, and its records. */
export interface ReadPage {
  readonly found: ListResult;
  readonly page: ListPage<RecordModel>;
}

/** Lists of records: at most one statement for the page and one for the total. */
@Injectable()
export class RecordList {
  constructor(
    private readonly answers: AnswerCache,
    private readonly stored: RecordRows,
    private readonly rules: RecordRules,
    private readonly totals: RecordTotals,
    private readonly expander: RecordExpander,
    private readonly expressions: ExpressionCompiler,
  ) {}

  /** A part of a consistent read: `find`, then `records`. */
  async read(collection: Collection, wanted: ListRequest): Promise<ReadPage> {
    const found = await this.find(collection, wanted);
    const { rows, totalItems } = found;
    const whole = isAnyNarrowed(collection, rows) ? await this.whole(collection, rows) : rows;
    return { found, page: toListPage(wanted.page, await this.records(collection, whole, wanted), totalItems) };
  }

  /**
   * A part of a consistent read. Throws 403 for a closed rule, 400 for a filter or sort that means nothing and for a
   * broken rule.
   */
  async find(collection: Collection, wanted: ListRequest): Promise<ListResult> {
    const { caller, page } = wanted;
    if (caller) requireOpenRule(collection, 'list', caller);
    const statements = this.statements(collection, wanted);
    const rows = await explainBrokenView(collection, () => this.answers.rows(statements.page(pageOffset(page))));
    return { rows, totalItems: page.skipTotal ? undefined : await this.total(statements, page, rows.length) };
  }

  /** What was found, as records with those that are related to them; a part of the same consistent read. */
  async records(
    collection: Collection,
    rows: readonly RecordRow[],
    { expand, caller }: ListRequest,
  ): Promise<RecordModel[]> {
    const records = rows.map((row) => RecordModel.fromRow(collection, row));
    if (expand.length > 0) await this.expander.expand(records, expand, caller);
    return records;
  }

  /** Rows with all their values, read one by one. Those that are gone meanwhile are left out. */
  private async whole(collection: Collection, rows: readonly RecordRow[]): Promise<RecordRow[]> {
    const whole: RecordRow[] = [];
    const turn = new EventLoopTurn();
    for (const row of rows) {
      await turn.pause();
      const found = isNarrowed(collection, row)
        ? (await this.stored.find(collection, row['id'] as string))?.toRow()
        : row;
      if (found) whole.push(found);
    }
    return whole;
  }

  /** A page that is not full tells the total by itself; otherwise it is counted, or known from before. */
  private total(statements: ListStatements, page: Page, found: number): number | Promise<number> {
    const offset = pageOffset(page);
    if (found < page.perPage && (found > 0 || offset === 0)) return offset + found;
    return this.totals.count(statements.count());
  }

  private statements(collection: Collection, { caller, filter, sort, page, narrowedBy }: ListRequest): ListStatements {
    const ruled = caller !== null && !caller.isSuperuser;
    try {
      if (caller && typeof filter === 'string') requireFilterLength(filter, { maxBytes: MAX_CLIENT_FILTER_BYTES });
      const { catalog, caller: as, now } = this.rules.scope(collection, caller ?? GUEST);
      return this.expressions.list({
        catalog,
        collection,
        caller: as,
        now,
        rule: ruled ? (collection.listRule ?? undefined) : undefined,
        filter,
        narrowedBy,
        sort,
        limit: page.perPage,
        narrow: true,
        guarded: ruled,
      });
    } catch (error) {
      if (error instanceof FilterError) throw invalidQuery('filter', error);
      if (!(error instanceof BrokenRuleError)) throw error;
      throw new BadRequestError('The records cannot be listed.', {}, { cause: error });
    }
  }
}
