import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import { AuthRecords } from '../../records/auth-records.js';
import {
  BeforeRecordCreate,
  BeforeRecordDelete,
  type RecordCreateEvent,
  type RecordDeleteEvent,
} from '../../records/record.hooks.js';
import { RecordsService } from '../../records/records.service.js';
import { INSTALLER_EMAIL, isInstaller } from './installer-account.js';

/** Sees to it that there is always a superuser, and that the installer is one only until there is a real one. */
@Injectable()
export class SuperuserRecordsHooks {
  constructor(
    private readonly store: CollectionStore,
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
  ) {}

  /** Counted inside the transaction that deletes, so that two deletes cannot take the last two (COL-156). */
  @BeforeRecordDelete(SUPERUSERS_ID)
  async keepLast({ record }: RecordDeleteEvent): Promise<void> {
    if (isInstaller(record)) return;
    const other = await this.records.findFirst(SUPERUSERS_ID, 'id != {:id} && email != {:installer}', {
      id: record.id,
      installer: INSTALLER_EMAIL,
    });
    if (!other) throw new BadRequestError('The last superuser cannot be deleted.');
  }

  /** By whatever path the first superuser comes, the printed link is dead from then on (AUTH-1206). */
  @BeforeRecordCreate(SUPERUSERS_ID)
  async retireInstaller({ record }: RecordCreateEvent): Promise<void> {
    if (isInstaller(record)) return;
    const collection = this.store.catalog.find(SUPERUSERS_ID)!;
    const installer = await this.authRecords.findByIdentity(collection, 'email', INSTALLER_EMAIL);
    if (installer) await this.records.delete(SUPERUSERS_ID, installer.id);
  }
}
