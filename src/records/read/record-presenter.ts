import { Injectable } from '@nestjs/common';
import { VisibleFields } from '../../collections/visible-fields.js';
import { HookRegistry } from '../../hooks/hook-registry.js';
import type { EventLoopTurn } from '../../http/event-loop/event-loop-turn.js';
import type { Collection } from '../../kernel/collections/collection.js';
import { andThen, type MaybePromise } from '../../kernel/maybe-promise.js';
import { type FieldPicker, pickFields } from '../../kernel/query/fields.js';
import type { Caller } from '../../kernel/records/caller.js';
import { RecordModel } from '../../kernel/records/record-model.js';
import { EnrichRecord } from '../record.hooks.js';
import { RecordSerializer } from './record-serializer.js';
import { RecordRules } from '../record-rules.js';

type Json = Record<string, unknown>;

/** How the records of a collection are shown to superusers and to everybody else. */
interface Serializers {
  readonly all: RecordSerializer;
  readonly visible: RecordSerializer;
}

type RelatedRecords = NonNullable<RecordModel['expand']>;

/** Records with everything an answer about them needs, so that nothing has to be read to write it. */
export interface PreparedRecords {
  readonly records: readonly RecordModel[];
  /** Who is going to see them. */
  readonly caller: Caller;
  /** Those whose email the caller may not see (JSON-6), related records among them. */
  readonly hiddenEmails: ReadonlySet<RecordModel>;
}

const NONE: ReadonlySet<RecordModel> = new Set();

/**
 * Turns records into what a caller may see of them (chapter 02 §4), related records included. In two steps: `prepare`
 * only reads, as a part of a consistent read, and `present` only writes down, hooks included, and is never done twice.
 */
@Injectable()
export class RecordPresenter {
  private readonly serializers = new WeakMap<Collection, Serializers>();

  constructor(
    private readonly rules: RecordRules,
    private readonly hooks: HookRegistry,
    private readonly visibleFields: VisibleFields,
  ) {}

  /**
   * Finds out what the caller may see of records and of what is related to them: one statement for each auth collection
   * whose rule has to be asked, and none otherwise. `showEmail` is about the records themselves.
   */
  prepare(
    records: readonly RecordModel[],
    caller: Caller,
    options: { readonly showEmail?: boolean } = {},
  ): MaybePromise<PreparedRecords> {
    const doubtful = new Map<Collection, RecordModel[]>();
    if (!caller.isSuperuser) gatherDoubtful(records, caller, doubtful, options);
    if (doubtful.size === 0) return { records, caller, hiddenEmails: NONE };
    return this.hiddenEmails(doubtful, caller).then((hiddenEmails) => ({ records, caller, hiddenEmails }));
  }

  /** The JSON objects of the records, in their order. `picker` is the `fields` parameter. */
  present(prepared: PreparedRecords, picker?: FieldPicker): MaybePromise<Json[]> {
    const pick = (output: Json) => (picker ? (pickFields(picker, output) as Json) : output);
    if (prepared.records.some((record) => this.isEnriched(record))) return this.enriched(prepared, pick);
    const shown = new Map<RecordModel, Json>();
    return prepared.records.map((record) => pick(this.show(record, prepared, shown)));
  }

  /** Presents the records one by one, so that other work can run in between and only one is in memory. */
  async *presentEach(
    prepared: PreparedRecords,
    picker: FieldPicker | undefined,
    turn: EventLoopTurn,
  ): AsyncGenerator<Json> {
    for (const record of prepared.records) {
      await turn.pause();
      picker?.reading?.renew();
      if (this.isEnriched(record)) yield await this.presentOne({ ...prepared, records: [record] }, picker);
      else {
        // Of related records too, nothing is kept for the next one: a document takes many times its text.
        const output = this.show(record, prepared, new Map());
        yield picker ? (pickFields(picker, output) as Json) : output;
      }
    }
  }

  /** The JSON object of the first of the records. */
  presentOne(prepared: PreparedRecords, picker?: FieldPicker): MaybePromise<Json> {
    return andThen(this.present(prepared, picker), ([output]) => output!);
  }

  /** Whether an `EnrichRecord` hook handles the record's collection or one that is related to it. */
  private isEnriched({ expand, collection }: RecordModel): boolean {
    return this.hooks.has(EnrichRecord, collection) || (expand !== undefined && this.hooks.isHandled(EnrichRecord));
  }

  /** A record and what is related to it, without hooks; `shown` has those that come under several others. */
  private show(record: RecordModel, prepared: PreparedRecords, shown: Map<RecordModel, Json>): Json {
    const { expand } = record;
    const known = shown.get(record);
    if (known) return known;
    const output = this.toOutput(record, prepared);
    shown.set(record, output);
    if (expand) {
      const steps: Json = (output['expand'] = {});
      for (const step of Object.keys(expand).sort()) {
        const related = expand[step]!;
        steps[step] =
          related instanceof RecordModel
            ? this.show(related, prepared, shown)
            : related.map((each) => this.show(each, prepared, shown));
      }
    }
    return output;
  }

  private async enriched(prepared: PreparedRecords, pick: (output: Json) => Json): Promise<Json[]> {
    const { caller } = prepared;
    const outputs: Json[] = [];
    for (const record of prepared.records) {
      const output = this.toOutput(record, prepared);
      if (record.expand) output['expand'] = await this.toExpand(record.expand, prepared);
      await this.hooks.run(EnrichRecord, { record, caller, output }, record.collection);
      outputs.push(pick(output));
    }
    return outputs;
  }

  /** The output of a record without what needs waiting: `expand` has its key but no value yet. */
  private toOutput(record: RecordModel, { caller, hiddenEmails }: PreparedRecords): Json {
    const { all, visible } = this.serializersOf(record.collection);
    return (caller.isSuperuser ? all : visible).write(record, { showEmail: !hiddenEmails.has(record) });
  }

  private async toExpand(expand: RelatedRecords, prepared: PreparedRecords): Promise<Json> {
    const output: Json = {};
    for (const step of Object.keys(expand).sort()) {
      const related = expand[step]!;
      const shown = await this.present({ ...prepared, records: asList(related) });
      output[step] = related instanceof RecordModel ? shown[0] : shown;
    }
    return output;
  }

  /** Those of the records that the caller does not manage. */
  private async hiddenEmails(
    doubtful: ReadonlyMap<Collection, readonly RecordModel[]>,
    caller: Caller,
  ): Promise<ReadonlySet<RecordModel>> {
    const hidden = new Set<RecordModel>();
    for (const [collection, records] of doubtful) {
      const ids = [...new Set(records.map((record) => record.id))];
      const managed = await this.rules.managedIds(collection, ids, caller);
      for (const record of records) if (!managed.has(record.id)) hidden.add(record);
    }
    return hidden;
  }

  private serializersOf(collection: Collection): Serializers {
    let serializers = this.serializers.get(collection);
    if (!serializers) {
      const shown = this.visibleFields.of(collection);
      serializers = {
        all: new RecordSerializer(collection, shown),
        visible: new RecordSerializer(
          collection,
          shown.filter((field) => !field.hidden),
        ),
      };
      this.serializers.set(collection, serializers);
    }
    return serializers;
  }
}

function asList(related: RecordModel | readonly RecordModel[]): readonly RecordModel[] {
  return related instanceof RecordModel ? [related] : related;
}

/** Collects the accounts, related ones included, whose email the caller may see only when the manage rule says so. */
function gatherDoubtful(
  records: readonly RecordModel[],
  caller: Caller,
  doubtful: Map<Collection, RecordModel[]>,
  options: { readonly showEmail?: boolean } = {},
): void {
  for (const record of records) {
    const { collection, expand } = record;
    if (collection.isAuth && !options.showEmail && !showsEmail(record, caller)) {
      const others = doubtful.get(collection);
      if (others) others.push(record);
      else doubtful.set(collection, [record]);
    }
    if (!expand) continue;
    for (const step of Object.keys(expand)) gatherDoubtful(asList(expand[step]!), caller, doubtful);
  }
}

function showsEmail(record: RecordModel, { auth }: Caller): boolean {
  if (record.get('emailVisibility')) return true;
  return auth !== null && auth.id === record.id && auth.collection.id === record.collection.id;
}
