import { Injectable } from '@nestjs/common';
import { BeforeCollectionDelete, type CollectionDeleteEvent } from '../collections/collection.hooks.js';
import { CollectionStore } from '../collections/collection-store.js';
import { Database } from '../database/database.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { AuthRecords } from '../records/auth-records.js';
import {
  BeforeRecordCreate,
  BeforeRecordUpdate,
  type RecordCreateEvent,
  type RecordUpdateEvent,
} from '../records/record.hooks.js';
import { OAuth2ProviderRegistry } from './oauth2/oauth2-provider-registry.js';

/** The system collections whose records belong to a record of some auth collection (AUTH-1401). */
const REFERENCES = ['_mfas', '_otps', '_authOrigins', '_externalAuths'] as const;

/** Keeps the records of pending sign-ins, origins and linked accounts pointing at accounts that exist. */
@Injectable()
export class ReferenceRecordsHooks {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly authRecords: AuthRecords,
    private readonly providers: OAuth2ProviderRegistry,
  ) {}

  /** AUTH-1403. Empty values are refused by their fields. */
  @BeforeRecordCreate(...REFERENCES)
  @BeforeRecordUpdate(...REFERENCES)
  async check({ record }: RecordCreateEvent | RecordUpdateEvent): Promise<void> {
    const errors = { ...(await this.referenceErrors(record)), ...this.providerErrors(record) };
    if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  }

  /** What belongs to the accounts of a deleted collection goes with it (AUTH-610). */
  @BeforeCollectionDelete()
  async release({ collection }: CollectionDeleteEvent): Promise<void> {
    if (!collection.isAuth) return;
    for (const table of REFERENCES) {
      const sql = `DELETE FROM "${table}" WHERE "collectionRef" = ?`;
      await this.database.run({ sql, params: [collection.id], writes: [table] });
    }
  }

  private async referenceErrors(record: RecordModel): Promise<Record<string, FieldError>> {
    const collectionRef = record.get('collectionRef') as string;
    if (collectionRef === '') return {};
    const collection = this.store.catalog.find(collectionRef);
    if (collection?.id !== collectionRef) return { collectionRef: fieldError('validation_invalid_collection_id') };
    if (!collection.isAuth) return { collectionRef: fieldError('validation_invalid_collection_type') };
    const recordRef = record.get('recordRef') as string;
    const isKnown = recordRef === '' || (await this.authRecords.findById(collection, recordRef)) !== undefined;
    return isKnown ? {} : { recordRef: fieldError('validation_invalid_record') };
  }

  private providerErrors(record: RecordModel): Record<string, FieldError> {
    const provider = record.get('provider');
    if (typeof provider !== 'string' || provider === '' || this.providers.has(provider)) return {};
    return { provider: fieldError('validation_in_invalid') };
  }
}
