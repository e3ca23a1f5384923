import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CollectionStore } from '../collections/collection-store.js';
import { CatalogReader } from '../collections/catalog-reader.js';
import { Database } from '../database/database.js';
import { asciiLower } from '../kernel/ascii-lower.js';
import { uniqueColumns } from '../kernel/collections/index-definition.js';
import type { Collection } from '../kernel/collections/collection.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import type { TokenClaims, TokenType } from '../tokens/token-claims.js';
import { TokensService } from '../tokens/tokens.service.js';
import { RecordRows } from './record-rows.js';

/** Accounts remembered at most, and what their values may have together, in bytes. */
const REMEMBERED = 5_000;
const REMEMBERED_BYTES = 32 * 1024 * 1024;

/** Bytes of an account besides its texts. */
const OVERHEAD = 1_000;

/** Not served from memory inside a transaction: these tokens are used up there, so the row itself has to be read. */
const ENDED_BY_USE: ReadonlySet<TokenType> = new Set<TokenType>(['passwordReset', 'emailChange', 'verification']);

/** An account as it was read, and the collection it was read with. */
interface Remembered {
  readonly record: RecordModel;
  readonly version: string;
}

/** Records of auth collections, found the ways in which people sign in. */
@Injectable()
export class AuthRecords {
  private readonly remembered = new LRUCache<string, Remembered>({
    max: REMEMBERED,
    maxSize: REMEMBERED_BYTES,
    // Two bytes are what a character takes at most.
    sizeCalculation: ({ record }) => OVERHEAD + 2 * record.stored.characters,
  });

  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly reads: CatalogReader,
    private readonly rows: RecordRows,
    private readonly tokens: TokensService,
  ) {}

  /**
   * The record a token was issued for; null when anything is wrong with it (AUTH-304). The account is the one in the
   * database now: it is remembered, and forgotten the moment anybody may have changed it.
   */
  async findByToken(token: string, type: TokenType): Promise<RecordModel | null> {
    return (await this.findByTokenWithClaims(token, type))?.record ?? null;
  }

  /** As `findByToken`, with what the token says. */
  async findByTokenWithClaims(
    token: string,
    type: TokenType,
  ): Promise<{ readonly record: RecordModel; readonly claims: TokenClaims } | undefined> {
    const said = this.tokens.parseUnverified(token);
    if (!said || said.type !== type) return undefined;
    const collection = this.store.catalog.findById(said.collectionId);
    if (!collection?.isAuth) return undefined;
    if (ENDED_BY_USE.has(type)) await this.rows.lock(collection, said.id);
    const record = await this.findById(collection, said.id);
    if (!record) return undefined;
    const claims = await this.tokens.verify(token, type, record);
    return claims && { record, claims };
  }

  /**
   * The account with this id, from memory when nothing can have changed since it was read. Never change it. It is that
   * of the collection as it is now, which may be a later version than the given one.
   */
  findById({ id: collectionId }: Collection, id: string): Promise<RecordModel | undefined> {
    // `Promise.resolve` gives a promise back as it is.
    return Promise.resolve(
      this.reads.during((catalog) => {
        const collection = catalog.findById(collectionId);
        return collection && (this.recall(collection, id) ?? this.read(collection, id));
      }),
    );
  }

  /** The account with its present values; null when it is gone or its tokens were ended since it was read. */
  async findCurrent(account: RecordModel): Promise<RecordModel | null> {
    const record = account.collection.isAuth ? await this.findById(account.collection, account.id) : undefined;
    return record?.collection.isAuth && record.get('tokenKey') === account.get('tokenKey') ? record : null;
  }

  /**
   * The account whose field has this value. Upper and lower case are the same exactly when the field's unique index is
   * declared `COLLATE NOCASE` (AUTH-403). Nobody is found by what a field holds that nobody has filled, such as 0.
   */
  async findByIdentity({ id }: Collection, field: string, value: string): Promise<RecordModel | undefined> {
    return this.reads.during(async (catalog) => {
      const collection = catalog.findById(id);
      if (!collection || !canIdentify(collection, field, value)) return undefined;
      const ignoreCase = ignoresCase(collection, field);
      return (await this.rows.findWhere(collection, field, value, { limit: 1, ignoreCase }))[0];
    });
  }

  private recall(collection: Collection, id: string): RecordModel | undefined {
    const known = this.remembered.get(keyOf(collection, id));
    if (this.database.mayBeStale) return undefined;
    const isGood = known?.record.collection === collection && known.version === this.versionOf(collection);
    return isGood && !this.database.inTransaction ? known.record : undefined;
  }

  private async read(collection: Collection, id: string): Promise<RecordModel | undefined> {
    if (this.database.inTransaction) return this.rows.find(collection, id);
    // The version is taken before reading, so that a write in between makes the remembered account outdated.
    const version = this.versionOf(collection);
    const record = await this.rows.find(collection, id);
    if (record) this.remembered.set(keyOf(collection, id), { record, version });
    return record;
  }

  private versionOf({ name }: Collection): string {
    return this.database.changes.version([name]);
  }
}

function keyOf(collection: Collection, id: string): string {
  return `${collection.id}/${id}`;
}

/**
 * A value of an identity field as it is compared: two values mean the same account exactly when their keys are equal.
 * Only ASCII letters are alike, as in the database.
 */
export function identityKey(collection: Collection, field: string, value: string): string {
  return ignoresCase(collection, field) ? asciiLower(value) : value;
}

function canIdentify(collection: Collection, name: string, value: string): boolean {
  const field = collection.field(name);
  if (!field) return false;
  const type = collection.typeOf(field);
  return !type.isZero(type.normalize(value, field), field);
}

function ignoresCase(collection: Collection, field: string): boolean {
  return uniqueColumns(collection.indexes).some(
    ({ name, collate }) => name === field && collate.toUpperCase() === 'NOCASE',
  );
}
