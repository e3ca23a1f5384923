import { Injectable } from '@nestjs/common';
import { CatalogReader } from '../collections/catalog-reader.js';
import { Database } from '../database/database.js';
import { chunksOf } from '../kernel/chunks-of.js';
import type { CatalogSnapshot } from '../kernel/collections/catalog-snapshot.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { fieldColumn } from '../kernel/resolve/columns.js';
import { column, oneOf, table } from '../kernel/sql/sql.js';
import { parseKey } from './file-keys.js';

/** Ids of one `IN` list. */
const ID_CHUNK = 500;

/** Which files the stored records name, as last committed. */
export interface NamedFiles {
  /** The names of a record's files; undefined when there is no such record. */
  ofRecord(collectionId: string, recordId: string): ReadonlySet<string> | undefined;
  /** Whether there is a collection with this id that may have files. */
  hasCollection(collectionId: string): boolean;
}

/** Asks the records which files they name. */
@Injectable()
export class RecordFileNames {
  constructor(
    private readonly database: Database,
    private readonly reads: CatalogReader,
  ) {}

  /** What the records behind these keys and folders name. */
  async of(keys: readonly string[]): Promise<NamedFiles> {
    return this.reads.during(async (catalog) => {
      const records = new Map<string, ReadonlySet<string>>();
      for (const [collectionId, ids] of idsByCollection(keys)) {
        const collection = catalog.findById(collectionId);
        if (!collection || collection.isView) continue;
        for (const chunk of chunksOf([...ids], ID_CHUNK)) await this.read(collection, chunk, records);
      }
      return namedFiles(catalog, records);
    });
  }

  private async read(
    collection: Collection,
    ids: readonly string[],
    records: Map<string, ReadonlySet<string>>,
  ): Promise<void> {
    const fields = collection.fields.filter((field) => collection.typeOf(field).holdsFiles);
    const id = column(collection.name, 'id');
    const files = fields.map((field) => ({ value: fieldColumn(collection, field, collection.name), as: field.name }));
    const named = this.database.statements.of(collection, `files of ${ids.length}`, (place) => ({
      kind: 'select',
      columns: [{ value: id, as: 'id' }, ...files],
      from: table(collection.name),
      where: oneOf(
        id,
        ids.map(() => place()),
      ),
    }));
    for (const row of await this.database.all<Record<string, SqlValue>>(named.with(ids))) {
      const values = fields.flatMap((field) => collection.typeOf(field).fromColumn(row[field.name]!, field) as string);
      records.set(`${collection.id}/${String(row['id'])}`, new Set(values));
    }
  }
}

function namedFiles(catalog: CatalogSnapshot, records: ReadonlyMap<string, ReadonlySet<string>>): NamedFiles {
  return {
    ofRecord: (collectionId, recordId) => records.get(`${collectionId}/${recordId}`),
    hasCollection: (collectionId) => catalog.findById(collectionId)?.isView === false,
  };
}

function idsByCollection(keys: readonly string[]): Map<string, Set<string>> {
  const groups = new Map<string, Set<string>>();
  for (const key of keys) {
    const { collectionId, recordId } = parseKey(key);
    const ids = groups.get(collectionId) ?? new Set();
    groups.set(collectionId, ids);
    if (recordId !== '') ids.add(recordId);
  }
  return groups;
}
