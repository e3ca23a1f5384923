import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { findViewFieldSource } from '../collections/view-fields.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import type { FieldType } from '../kernel/fields/field-type.js';
import { andThen, type MaybePromise } from '../kernel/maybe-promise.js';
import { type FieldPicker, pickFields } from '../kernel/query/fields.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { EnrichRecord } from './record.hooks.js';
import { RecordRules } from './record-rules.js';

type Json = Record<string, unknown>;

/** What is shown of records. */
interface PresentOptions {
  /** The `fields` parameter. */
  readonly picker?: FieldPicker;
  /** Shows the email whatever the record says about it. */
  readonly showEmail?: boolean;
}

/** One key of a record's JSON: where its value comes from. */
type Column =
  | { readonly name: 'collectionId' | 'collectionName' | 'expand'; readonly field: null }
  | { readonly name: string; readonly field: FieldDefinition; readonly type: FieldType };

/** The keys of a collection's records in byte order, for superusers and for everybody else. */
interface Layout {
  readonly all: readonly Column[];
  readonly visible: readonly Column[];
}

/** Of auth records: never shown to anybody, superusers included (JSON-5), also not through a view. */
const SECRETS: readonly string[] = ['password', 'tokenKey'];

/** Turns records into what a caller may see of them (chapter 02 §4), related records included. */
@Injectable()
export class RecordPresenter {
  private readonly layouts = new WeakMap<Collection, Layout>();

  constructor(
    private readonly rules: RecordRules,
    private readonly hooks: HookRegistry,
    private readonly store: CollectionStore,
    private readonly fieldTypes: FieldTypeRegistry,
  ) {}

  /** The JSON objects of records of one collection, in their order. `picker` is the `fields` parameter. */
  present(
    records: readonly RecordModel[],
    caller: Caller,
    { picker, showEmail }: PresentOptions = {},
  ): MaybePromise<Json[]> {
    const pick = (output: Json) => (picker ? (pickFields(picker, output) as Json) : output);
    return andThen(showEmail ? undefined : this.hiddenEmails(records, caller), (emails) => {
      if (records.some((record) => this.isEnriched(record))) return this.enriched(records, caller, emails, pick);
      return records.map((record) => pick(this.toOutput(record, caller, emails)));
    });
  }

  /** The JSON object of one record. */
  presentOne(record: RecordModel, caller: Caller, options: PresentOptions = {}): MaybePromise<Json> {
    return andThen(this.present([record], caller, options), ([output]) => output!);
  }

  /** Is there more to show than the record itself? */
  private isEnriched({ expand, collection }: RecordModel): boolean {
    return expand !== undefined || this.hooks.has(EnrichRecord, collection);
  }

  private async enriched(
    records: readonly RecordModel[],
    caller: Caller,
    emails: ReadonlySet<RecordModel> | undefined,
    pick: (output: Json) => Json,
  ): Promise<Json[]> {
    const outputs: Json[] = [];
    for (const record of records) {
      const output = this.toOutput(record, caller, emails);
      if (record.expand) output['expand'] = await this.toExpand(record.expand, caller);
      await this.hooks.run(EnrichRecord, { record, caller, output }, record.collection);
      outputs.push(pick(output));
    }
    return outputs;
  }

  /** Everything that needs no waiting: the key of what is expanded has its place and no value yet. */
  private toOutput(record: RecordModel, caller: Caller, hiddenEmails: ReadonlySet<RecordModel> | undefined): Json {
    const { collection } = record;
    const layout = this.layoutOf(collection);
    const output: Json = {};
    for (const column of caller.isSuperuser ? layout.all : layout.visible) {
      if (column.field === null) {
        if (column.name === 'collectionId') output['collectionId'] = collection.id;
        else if (column.name === 'collectionName') output['collectionName'] = collection.name;
        else if (record.expand) output['expand'] = undefined;
      } else if (column.name !== 'email' || !hiddenEmails?.has(record)) {
        const value = record.read(column.field, column.type);
        output[column.name] = column.type.toJson ? column.type.toJson(value, column.field) : value;
      }
    }
    return output;
  }

  private async toExpand(
    expand: Readonly<Record<string, RecordModel | readonly RecordModel[]>>,
    caller: Caller,
  ): Promise<Json> {
    const output: Json = {};
    for (const step of Object.keys(expand).sort()) {
      const related = expand[step]!;
      output[step] = Array.isArray(related)
        ? await this.present(related as readonly RecordModel[], caller)
        : await this.presentOne(related as RecordModel, caller);
    }
    return output;
  }

  /** Records of auth collections whose email this caller may not see (JSON-6); one statement for those in doubt. */
  private hiddenEmails(
    records: readonly RecordModel[],
    caller: Caller,
  ): MaybePromise<ReadonlySet<RecordModel> | undefined> {
    const collection = records[0]?.collection;
    if (!collection?.isAuth || caller.isSuperuser) return undefined;
    const { auth } = caller;
    const doubtful = records.filter((record) => {
      if (record.get('emailVisibility')) return false;
      return auth === null || auth.id !== record.id || auth.collection.id !== record.collection.id;
    });
    if (doubtful.length === 0) return undefined;
    const ids = doubtful.map((record) => record.id);
    return andThen(
      this.rules.managedIds(collection, ids, caller),
      (managed) => new Set(doubtful.filter((record) => !managed.has(record.id))),
    );
  }

  private layoutOf(collection: Collection): Layout {
    let layout = this.layouts.get(collection);
    if (!layout) {
      layout = toLayout(
        collection,
        collection.fields.filter((field) => !this.isSecret(collection, field)),
      );
      this.layouts.set(collection, layout);
    }
    return layout;
  }

  private isSecret(collection: Collection, field: FieldDefinition): boolean {
    if (collection.isAuth) return SECRETS.includes(field.name);
    const source =
      collection.isView && findViewFieldSource(collection, field.name, this.store.catalog, this.fieldTypes);
    return source ? source.collection.isAuth && SECRETS.includes(source.field.name) : false;
  }
}

function toLayout(collection: Collection, shown: readonly FieldDefinition[]): Layout {
  const fixed: Column[] = [
    { name: 'collectionId', field: null },
    { name: 'collectionName', field: null },
    { name: 'expand', field: null },
  ];
  const toColumns = (fields: readonly FieldDefinition[]): Column[] =>
    [...fixed, ...fields.map((field) => ({ name: field.name, field, type: collection.typeOf(field) }))].sort((a, b) =>
      a.name < b.name ? -1 : 1,
    );
  return { all: toColumns(shown), visible: toColumns(shown.filter((field) => !field.hidden)) };
}
