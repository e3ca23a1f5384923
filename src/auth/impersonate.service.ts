import { Injectable } from '@nestjs/common';
import type { Collection } from '../kernel/collections/collection.js';
import { NotFoundError } from '../kernel/errors/not-found.error.js';
import type { Caller } from '../kernel/records/caller.js';
import { AuthRecords } from '../records/auth-records.js';
import { type AuthResult, AuthResults } from './auth-results.js';

/** Whose token is wanted, and for how long. */
export interface Impersonation {
  readonly id: string;
  /** Seconds; 0 for the collection's own duration. */
  readonly duration: number;
}

/** Tokens of other people's accounts, for superusers (AUTH-841). */
@Injectable()
export class ImpersonateService {
  constructor(
    private readonly authRecords: AuthRecords,
    private readonly results: AuthResults,
  ) {}

  /** Throws 404 when there is no such record. */
  async impersonate(collection: Collection, { id, duration }: Impersonation, caller: Caller): Promise<AuthResult> {
    const record = await this.authRecords.findById(collection, id);
    if (!record) throw new NotFoundError('The requested record was not found.');
    return this.results.issue(record, { method: 'impersonate', caller, duration });
  }
}
