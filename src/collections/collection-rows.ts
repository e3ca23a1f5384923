import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { StartError } from '../config/start.error.js';
import { defaultAuthOptions } from '../kernel/collections/auth-option-defaults.js';
import { mergeAuthOptions } from '../kernel/collections/auth-option-merge.js';
import { Collection, type CollectionData, type CollectionType } from '../kernel/collections/collection.js';
import { messageOf } from '../kernel/errors/message-of.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';
import type { SqlValue } from '../kernel/fields/field-type.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import { normalizeFieldDefinition } from '../kernel/fields/normalize-field-definition.js';
import { CollectionSecrets } from './collection-secrets.js';
import { INSERTION_ORDER } from '../database/insertion-order.js';
import { TimeSlices } from '../database/time-slices.js';
import { CollectionEntity } from './collection.entity.js';
import { withHiddenColumns } from './view-fields.js';

/** The rows the definitions are kept in. */
@Injectable()
export class CollectionRows {
  constructor(
    @InjectRepository(CollectionEntity) private readonly rows: Repository<CollectionEntity>,
    private readonly types: FieldTypeRegistry,
    private readonly secrets: CollectionSecrets,
  ) {}

  /** All definitions in order of creation. */
  async readAll(): Promise<readonly Collection[]> {
    const query = this.rows.createQueryBuilder('collection').orderBy(`collection.${INSERTION_ORDER}`);
    try {
      const collections: Collection[] = [];
      const slices = new TimeSlices();
      for (const row of await query.getMany()) {
        collections.push(this.toCollection(row));
        await slices.pause();
      }
      return withHiddenColumns(collections, this.types);
    } catch (error) {
      throw await this.explained(error);
    }
  }

  /**
   * Definitions out of rows as they are stored, with JSON as text. Throws a StartError that names one it cannot read.
   */
  fromStored(rows: readonly Readonly<Record<string, SqlValue>>[]): readonly Collection[] {
    const collections = rows.map((row) => {
      try {
        return this.toCollection(entityOf(row));
      } catch (error) {
        throw unreadable(String(row['name']), String(row['id']), error);
      }
    });
    return withHiddenColumns(collections, this.types);
  }

  /** Encrypts secrets that were stored before there was a key to do it with. */
  async encryptPlain(): Promise<void> {
    if (!this.secrets.areEncrypted) return;
    const rows = await this.rows.findBy({ type: 'auth' });
    const plain = rows.filter(({ options }) => this.secrets.arePlain(options));
    if (plain.length === 0) return;
    await this.rows.manager.transaction(async () => {
      for (const { id, name, options } of plain) {
        const encrypted = this.secrets.encode(this.secrets.decode(options, name));
        await this.rows.update({ id }, { options: encrypted } as QueryDeepPartialEntity<CollectionEntity>);
      }
    });
  }

  async insert(collection: CollectionData): Promise<void> {
    await this.rows.insert(this.toRow(collection));
  }

  async update(collection: CollectionData): Promise<void> {
    await this.rows.update({ id: collection.id }, this.toRow(collection));
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.rows.delete({ id: In([...ids]) });
  }

  /** Names the definition that cannot be read; other errors are returned unchanged. */
  private async explained(error: unknown): Promise<unknown> {
    const names = await this.rows.find({ select: { id: true, name: true } });
    for (const { id, name } of names) {
      try {
        this.toCollection(await this.rows.findOneByOrFail({ id }));
      } catch (cause) {
        return unreadable(name, id, cause);
      }
    }
    return error;
  }

  private toCollection(row: CollectionEntity): Collection {
    return new Collection(this.toData(row), this.types);
  }

  private toData(row: CollectionEntity): CollectionData {
    const type = row.type as CollectionType;
    const { options } = row;
    return {
      id: row.id,
      name: row.name,
      type,
      system: row.system,
      listRule: row.listRule,
      viewRule: row.viewRule,
      createRule: row.createRule,
      updateRule: row.updateRule,
      deleteRule: row.deleteRule,
      fields: row.fields.map((field) => this.completed(field)),
      indexes: row.indexes,
      created: row.created,
      updated: row.updated,
      // Rows written by an older version get defaults for options it did not know.
      ...(type === 'auth'
        ? {
            auth: mergeAuthOptions(
              defaultAuthOptions(() => ''),
              this.secrets.decode(options, row.name),
            ),
          }
        : {}),
      ...(type === 'view' ? { viewQuery: String(options.viewQuery ?? '') } : {}),
    };
  }

  private toRow(collection: CollectionData): QueryDeepPartialEntity<CollectionEntity> {
    const { type, auth, viewQuery } = collection;
    return toRow(collection, type === 'view' ? { viewQuery: viewQuery ?? '' } : this.secrets.encode({ ...auth }));
  }

  /** The type of a field may be gone with the module that registered it; such a definition is kept as it is. */
  private completed(field: FieldDefinition): FieldDefinition {
    return normalizeFieldDefinition(field, this.types).definition ?? field;
  }
}

function unreadable(name: string, id: string, cause: unknown): StartError {
  const reason = messageOf(cause);
  return new StartError(`The definition of the collection "${name}" (${id}) cannot be read: ${reason}`, { cause });
}

function entityOf(row: Readonly<Record<string, SqlValue>>): CollectionEntity {
  const [fields, indexes, options] = ['fields', 'indexes', 'options'].map((name) => JSON.parse(String(row[name])));
  return { ...row, system: row['system'] !== 0, fields, indexes, options } as unknown as CollectionEntity;
}

function toRow(
  collection: CollectionData,
  options: Readonly<Record<string, unknown>>,
): QueryDeepPartialEntity<CollectionEntity> {
  const { fields, indexes, ...common } = collection;
  const row: CollectionEntity = {
    id: common.id,
    system: common.system,
    type: common.type,
    name: common.name,
    fields: [...fields],
    indexes: [...indexes],
    listRule: common.listRule,
    viewRule: common.viewRule,
    createRule: common.createRule,
    updateRule: common.updateRule,
    deleteRule: common.deleteRule,
    options,
    created: common.created,
    updated: common.updated,
  };
  // TypeORM's type for partial rows cannot follow the open options of a field definition.
  return row as unknown as QueryDeepPartialEntity<CollectionEntity>;
}
