import { Injectable } from '@nestjs/common';
import { ruleError } from '../collections/rule-checks.js';
import { CollectionStore } from '../collections/collection-store.js';
import { TimeSlices } from '../database/time-slices.js';
import type { Collection } from '../kernel/collections/collection.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import { newRecordId } from '../kernel/ids.js';
import { Caller } from '../kernel/records/caller.js';
import { applyInput } from '../kernel/records/record-input.js';
import { RecordModel } from '../kernel/records/record-model.js';
import { NO_REQUEST } from '../kernel/records/request-info.js';
import { explainBrokenView } from './read/broken-view.js';
import { RecordRows } from './record-rows.js';
import { RecordRules } from './record-rules.js';
import { rulePartsOf } from './rule-parts.js';
import type { RuleTestAnswer, RuleTestDto, RuleTestPart, TestedKind } from './rule-test.dto.js';

const METHODS: Readonly<Record<TestedKind, string>> = {
  list: 'GET',
  view: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
  auth: 'POST',
  manage: 'PATCH',
};

/** The outcome of one expression for all records. */
interface Verdict {
  readonly passing: ReadonlySet<string>;
  readonly problem?: string;
}

/** The id that stands for the record that would be created. */
const NEW = '';

/**
 * Tries a rule on records as somebody (UI-74). Nothing is written, and no hook runs. Every part takes a statement of
 * its own, as bounded as those of lists are.
 */
@Injectable()
export class RuleTestService {
  constructor(
    private readonly store: CollectionStore,
    private readonly rows: RecordRows,
    private readonly rules: RecordRules,
  ) {}

  /** Throws a ValidationError for a rule that means nothing, and for an account that there is not. */
  async test(collection: Collection, form: RuleTestDto): Promise<RuleTestAnswer> {
    const { rule } = form;
    const wrong = rule === '' ? undefined : ruleError(rule, collection, this.store.catalog);
    if (wrong) throw new ValidationError({ rule: wrong });
    const account = await this.account(form);
    const isCreate = form.kind === 'create';
    const ids = isCreate ? [NEW] : await this.existing(collection, form.ids);
    const stored = !isCreate && ids.length === 1 ? await this.rows.find(collection, ids[0]!) : undefined;
    const record = stored ?? RecordModel.blank(collection);
    const caller = await this.callerOf(account, form, record);
    if (rule === '' || caller.isSuperuser) {
      return { join: '', parts: [], records: ids.map((id) => ({ id, passes: true, parts: [] })) };
    }
    const judge = isCreate
      ? (text: string) => this.judgeNew(record, text, caller)
      : (text: string) => this.rules.findPassing(collection, ids, text, caller);
    const { join, texts } = rulePartsOf(rule);
    const whole = await judge(rule);
    const parts: (RuleTestPart & Verdict)[] = [];
    for (const text of texts) parts.push({ text, ...(texts.length === 1 ? whole : await judge(text)) });
    return {
      join,
      parts: parts.map(({ text, problem }) => ({ text, problem })),
      records: ids.map((id) => ({
        id,
        passes: whole.passing.has(id),
        parts: parts.map(({ passing }) => passing.has(id)),
      })),
    };
  }

  /** Each once, in the order in which they were named. */
  private async existing(collection: Collection, ids: readonly string[]): Promise<string[]> {
    const existing = await explainBrokenView(collection, () => this.rows.existingIds(collection, ids));
    return [...new Set(ids)].filter((id) => existing.has(id));
  }

  private async account({ accountCollection, account }: RuleTestDto): Promise<RecordModel | null> {
    if (accountCollection === '' && account === '') return null;
    const collection = this.store.catalog.find(accountCollection);
    if (!collection?.isAuth) {
      throw new ValidationError({ accountCollection: fieldError('validation_missing_rel_collection') });
    }
    const found = await this.rows.find(collection, account);
    if (!found) throw new ValidationError({ account: fieldError('validation_missing_rel_records') });
    return found;
  }

  /** The account, with the body as rules see it; it is laid over the record as a save would do it. */
  private async callerOf(
    account: RecordModel | null,
    { kind, body }: RuleTestDto,
    record: RecordModel,
  ): Promise<Caller> {
    const method = METHODS[kind as TestedKind];
    const caller = new Caller(account, { ...NO_REQUEST, method });
    const writes = kind === 'create' || kind === 'update';
    if (!writes) return caller;
    const input = { values: body, files: new Map<string, never>() };
    const slices = new TimeSlices();
    const options = { allowHidden: caller.isSuperuser, pause: () => slices.pause() };
    return caller.withRequest({ body: await applyInput(record, input, options) });
  }

  private async judgeNew(record: RecordModel, rule: string, caller: Caller): Promise<Verdict> {
    const row = record.toRow();
    row['id'] ||= newRecordId();
    if (record.collection.isAuth) row['verified'] = 0;
    const passes = await this.rules.wouldSatisfy(record.collection, () => row, rule, caller);
    return { passing: new Set(passes ? [NEW] : []) };
  }
}
