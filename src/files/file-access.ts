import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { findViewFieldSource } from '../collections/view-fields.js';
import type { Collection } from '../kernel/collections/collection.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import type { FileDefinition } from '../kernel/fields/file-field.js';
import { Caller } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { AuthRecords } from '../records/auth-records.js';
import { RecordRows } from '../records/record-rows.js';
import { RecordRules } from '../records/record-rules.js';
import { RecordsService } from '../records/records.service.js';
import { ConsistentReads } from '../records/read/consistent-reads.js';
import { allowsSuperusers } from '../settings/allows-superusers.js';
import { SettingsService } from '../settings/settings.service.js';
import { fileKey } from '../storage/file-keys.js';
import { fieldWithFile, namesIn } from './file-field.js';

/** What somebody wants. */
export interface FileRequest {
  /** Name or id, as in the path. */
  readonly collection: string;
  readonly recordId: string;
  readonly fileName: string;
  /** A file token; '' for none. */
  readonly token: string;
  /** Who asks, by the Authorization header. */
  readonly caller: Caller;
}

/** A file somebody may have. */
export interface GrantedFile {
  readonly collection: Collection;
  readonly record: RecordModel;
  readonly field: FileDefinition;
  readonly fileName: string;
  /** Where it is stored; for a view that is with the record it comes from. */
  readonly key: string;
  /** The one whose rights were looked at. */
  readonly caller: Caller;
  /** True when everybody may have it, so that shared caches may keep it. */
  readonly isPublic: boolean;
}

/** Decides who may read which file (chapter 05 E). Nothing about a decision is remembered. */
@Injectable()
export class FileAccess {
  constructor(
    private readonly settings: SettingsService,
    private readonly store: CollectionStore,
    private readonly fieldTypes: FieldTypeRegistry,
    private readonly authRecords: AuthRecords,
    private readonly rules: RecordRules,
    private readonly rows: RecordRows,
    private readonly records: RecordsService,
    private readonly reads: ConsistentReads,
  ) {}

  /** The file, when it exists and may be read. Throws 404 in every other case, so that the answer reveals nothing. */
  async require(request: FileRequest): Promise<GrantedFile> {
    return this.reads.of(request.collection, request.caller, (collection, caller) =>
      this.decide(collection, { ...request, caller }),
    );
  }

  /**
   * A consistent read, so that the record, its fields, the collections behind a view and the rules are of one version.
   */
  private async decide(collection: Collection, request: FileRequest): Promise<GrantedFile> {
    const { recordId, fileName } = request;
    const holder = await this.holderOf(request.token, request.caller);
    const caller = (holder ?? request.caller).withRequest({ context: 'protectedFile', method: 'GET', body: {} });
    const { openUnprotected } = this.settings.get().files;
    const asked = openUnprotected ? null : caller;
    const record = await this.rules.find(collection, recordId, 'view', asked);
    const field = record && this.fieldOf(record, fileName);
    if (!record || !field) throw fileNotFound();
    if (field.protected && !(await this.mayOpenProtected(record, holder && caller, openUnprotected))) {
      throw fileNotFound();
    }
    const isPublic = !field.protected && (openUnprotected || collection.viewRule === '');
    return { collection, record, field, fileName, caller, isPublic, key: await this.keyOf(record, field, fileName) };
  }

  /**
   * A protected file takes a file token, and the view rule for its holder. The rule has been looked at unless skipped.
   */
  private async mayOpenProtected(
    record: RecordModel,
    holder: Caller | null,
    ruleWasSkipped: boolean,
  ): Promise<boolean> {
    if (holder === null) return false;
    return !ruleWasSkipped || this.rules.holds(record.collection, record.id, 'view', holder);
  }

  /** The account a file token was issued to; null for a superuser's token from an address superusers may not use. */
  private async holderOf(token: string, caller: Caller): Promise<Caller | null> {
    const record = token === '' ? null : await this.authRecords.findByToken(token, 'file');
    if (!record) return null;
    const holder = new Caller(record, caller.request, caller.ip);
    return holder.isSuperuser && !allowsSuperusers(this.settings.get(), caller.ip) ? null : holder;
  }

  /** The field of a record in whose value a file name stands. */
  private fieldOf(record: RecordModel, fileName: string): FileDefinition | undefined {
    const { collection } = record;
    const field = fieldWithFile(record, fileName);
    if (!field || !collection.isView) return field;
    const source = this.sourceOf(collection, field.name);
    return source && { ...field, protected: field.protected || (source.field as FileDefinition).protected };
  }

  private async keyOf(record: RecordModel, field: FileDefinition, fileName: string): Promise<string> {
    if (!record.collection.isView) return fileKey(record.collection.id, record.id, fileName);
    const source = this.sourceOf(record.collection, field.name)!;
    const owner = await this.ownerOf(source.collection, source.field.name, fileName, record.id);
    if (!owner) throw fileNotFound();
    return fileKey(source.collection.id, owner.id, fileName);
  }

  private sourceOf(view: Collection, fieldName: string): ReturnType<typeof findViewFieldSource> {
    return findViewFieldSource(view, fieldName, this.store.catalog, this.fieldTypes);
  }

  /** The record a view took a file name from. Mostly it has the same id; a view may also make ids of its own. */
  private async ownerOf(
    collection: Collection,
    fieldName: string,
    fileName: string,
    likelyId: string,
  ): Promise<RecordModel | undefined> {
    const likely = await this.rows.find(collection, likelyId);
    if (likely && namesIn(likely, fieldName).includes(fileName)) return likely;
    return this.records.findFirst(collection.id, `${fieldName} ?= {:fileName}`, { fileName });
  }
}

/** The same answer for every reason. */
export function fileNotFound(): NotFoundError {
  return new NotFoundError('There is no such file.');
}
