import { Injectable } from '@nestjs/common';
import { ACCOUNT_COLLECTIONS } from '../collections/account-collections.js';
import { CollectionStore } from '../collections/collection-store.js';
import { fieldError } from '../kernel/errors/error-codes.js';
import type { FieldError } from '../kernel/errors/field-error.js';
import { ValidationError } from '../kernel/errors/validation.error.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { isFine } from '../kernel/validation/validate-object.js';
import {
  BeforeRecordCreate,
  BeforeRecordUpdate,
  type RecordCreateEvent,
  type RecordUpdateEvent,
} from '../records/record.hooks.js';
import { RecordRows } from '../records/record-rows.js';
import { OAuth2ProviderRegistry } from './oauth2/oauth2-provider-registry.js';

/** Keeps the records of pending sign-ins, origins and linked accounts pointing at accounts that exist. */
@Injectable()
export class ReferenceRecordsHooks {
  constructor(
    private readonly store: CollectionStore,
    private readonly rows: RecordRows,
    private readonly providers: OAuth2ProviderRegistry,
  ) {}

  /** AUTH-1403. Empty values are refused by their fields. */
  @BeforeRecordCreate(...ACCOUNT_COLLECTIONS)
  @BeforeRecordUpdate(...ACCOUNT_COLLECTIONS)
  async check({ record }: RecordCreateEvent | RecordUpdateEvent): Promise<void> {
    const errors = { ...(await this.referenceErrors(record)), ...this.providerErrors(record) };
    if (!isFine(errors)) throw new ValidationError(errors);
  }

  private async referenceErrors(record: RecordModel): Promise<Record<string, FieldError>> {
    const collectionRef = record.get('collectionRef') as string;
    if (collectionRef === '') return {};
    const collection = this.store.catalog.findById(collectionRef);
    if (!collection) return { collectionRef: fieldError('validation_invalid_collection_id') };
    if (!collection.isAuth) return { collectionRef: fieldError('validation_invalid_collection_type') };
    const recordRef = record.get('recordRef') as string;
    // Locks the account, so that it is not deleted while rows for it are written.
    const isKnown = recordRef === '' || (await this.rows.existingIds(collection, [recordRef])).size > 0;
    return isKnown ? {} : { recordRef: fieldError('validation_invalid_record') };
  }

  private providerErrors(record: RecordModel): Record<string, FieldError> {
    const provider = record.get('provider');
    if (typeof provider !== 'string' || provider === '' || this.providers.has(provider)) return {};
    return { provider: fieldError('validation_in_invalid') };
  }
}
