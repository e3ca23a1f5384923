import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { DatabaseError } from '../database/database.error.js';
import { SchemaSync } from '../database/schema-sync.js';
import { Collection, type CollectionData } from '../kernel/collections/collection.js';
import { blankCollection } from '../kernel/collections/collection-draft.js';
import { SqlTextError } from '../kernel/collections/sql-text.error.js';
import { withSqlQuotes } from '../kernel/collections/sql-tokens.js';
import type { ViewQueryInput } from '../kernel/collections/view-options.js';
import { parseViewQuery } from '../kernel/collections/view-query.js';
import { ApiError } from '../kernel/errors/api-error.js';
import { BadRequestError } from '../kernel/errors/bad-request.error.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { randomText } from '../kernel/ids.js';
import { RecordModel, type RecordRow } from '../kernel/records/record-model.js';
import { table } from '../kernel/sql/sql.js';
import type { DryRunResult } from './collection.dto.js';
import { CollectionStore } from './collection-store.js';
import { tryWithTexts } from './double-quoted-texts.js';
import { requireColumnNames, requireIds } from './sql-views.js';
import { neverShownFields, ViewFields } from './view-fields.js';

const SAMPLED_ROWS = 10;
/** Tells rows of the query from the one row that is there even when it has none. */
const ROW_MARK = 'roost:row';

/** Runs queries that may become views, on connections that can only read and where they can be cut off. */
@Injectable()
export class ViewDryRun {
  constructor(
    private readonly database: Database,
    private readonly schema: SchemaSync,
    private readonly store: CollectionStore,
    private readonly types: FieldTypeRegistry,
  ) {}

  /** Fields and first records of a query (COL-102). Throws 400 with the database's reason when it cannot be a view. */
  async run(query: string): Promise<DryRunResult> {
    try {
      return await tryWithTexts(withSqlQuotes(query), (text) => this.tryQuery(text));
    } catch (error) {
      if (error instanceof SqlTextError || error instanceof DatabaseError) throw new BadRequestError(error.message);
      throw error;
    }
  }

  /**
   * Runs the query of a view before it is stored, because storing happens where nothing can be cut off. Gives the
   * queries whose first ids are valid. A query that cannot run yet is checked when it is stored, and so are all ids
   * inside a transaction, which may have changed them. Throws a ValidationError when a query takes too long or its ids
   * are not valid.
   */
  async tryQueries({ viewQuery, optionsQuery }: ViewQueryInput): Promise<ReadonlySet<string>> {
    const fine = new Set<string>();
    for (const query of new Set([viewQuery, optionsQuery])) {
      if (query && (await this.hasFineIds(query))) fine.add(query);
    }
    return fine;
  }

  /** Why nothing can be read from the SQL view of a collection; undefined when something can. No row is read. */
  async findFault({ name }: Collection): Promise<string | undefined> {
    try {
      await this.database.all({ kind: 'select', columns: [], from: table(name), limit: 0 });
      return undefined;
    } catch (error) {
      if (error instanceof DatabaseError) return error.message;
      throw error;
    }
  }

  private async hasFineIds(query: string): Promise<boolean> {
    const read = () => tryWithTexts(query, (text) => this.firstRows(parseViewQuery(text).select));
    try {
      // With concurrent writers, reading outside of the transaction could wait for its own changes; inside it the read
      // can be cut off.
      const all = await (this.database.hasConcurrentWriters ? read() : this.database.runOutside(read));
      if (this.database.inTransaction) return false;
      const rows = all.filter((row) => row[ROW_MARK] !== null);
      if (rows.some((row) => !('id' in row))) return false;
      requireIds(rows.map((row) => row.id));
      return true;
    } catch (error) {
      if (error instanceof DatabaseError) return false;
      if (!(error instanceof ApiError) && !(error instanceof SqlTextError)) throw error;
      throw new ValidationError({ viewQuery: fieldError('validation_invalid_view_query', undefined, error.message) });
    }
  }

  private async tryQuery(query: string): Promise<DryRunResult> {
    const parsed = parseViewQuery(query);
    const rows = await this.firstRows(parsed.select);
    const names = await this.columnNames(parsed.select, rows[0]!);
    requireColumnNames(names);
    const found = rows.filter((row) => row[ROW_MARK] !== null);
    requireIds(found.map((row) => row.id));
    const fields = new ViewFields(parsed, this.store.catalog, this.types).infer(names);
    const view = this.temporaryView(query, fields);
    const secret = neverShownFields(view, this.store.catalog, this.types);
    const shown = view.fields.filter((field) => !secret.has(field));
    const sample = found.map((row) => this.toJson(view, shown, row));
    return { fields, sample };
  }

  /** The names of a row's columns in the order of the query, which an object does not keep for names like `1`. */
  private async columnNames(select: string, row: RecordRow): Promise<string[]> {
    const names = Object.keys(row).filter((name) => name !== ROW_MARK);
    if (!names.some((name) => /^\d+$/.test(name))) return names;
    return this.database.transaction(() => this.schema.columnNames(select));
  }

  /** At least one row, so that the names of the columns can be seen; without a mark when the query has none. */
  private async firstRows(select: string): Promise<RecordRow[]> {
    return this.schema.firstRows(select, ROW_MARK, SAMPLED_ROWS);
  }

  private temporaryView(viewQuery: string, fields: readonly FieldDefinition[]): Collection {
    const suffix = randomText(10);
    const data: CollectionData = { ...blankCollection('view'), id: `tmp_${suffix}`, name: `tmp_${suffix}` };
    return new Collection({ ...data, viewQuery, fields }, this.types);
  }

  private toJson(view: Collection, shown: readonly FieldDefinition[], row: RecordRow): Record<string, unknown> {
    const record = RecordModel.fromRow(view, { ...row, id: String(row.id ?? '') });
    const json: Record<string, unknown> = { collectionId: view.id, collectionName: view.name };
    for (const field of shown) {
      const type = view.typeOf(field);
      const value = record.get(field.name);
      json[field.name] = type.toJson ? type.toJson(value, field) : value;
    }
    return json;
  }
}
