import { Injectable } from '@nestjs/common';
import { CollectionStore } from '../../collections/collection-store.js';
import { Database } from '../../database/database.js';
import { BadRequestError } from '../../kernel/errors/bad-request.error.js';
import { SUPERUSERS_ID } from '../../kernel/records/caller.js';
import { and, column, compare, param, table } from '../../kernel/sql/sql.js';
import { AuthRecords } from '../../records/auth-records.js';
import {
  BeforeRecordCreate,
  BeforeRecordDelete,
  type RecordCreateEvent,
  type RecordDeleteEvent,
  ValidateRecord,
  type ValidateRecordEvent,
} from '../../records/record.hooks.js';
import { RecordsService } from '../../records/records.service.js';
import { INSTALLER_EMAIL, installerAddressError, isInstaller } from './installer-account.js';

/** Keeps at least one superuser, and removes the installer account once there is a real one. */
@Injectable()
export class SuperuserRecordsHooks {
  constructor(
    private readonly database: Database,
    private readonly store: CollectionStore,
    private readonly records: RecordsService,
    private readonly authRecords: AuthRecords,
  ) {}

  /** Locked, so that of two concurrent deletes of the last two superusers the second is refused (COL-156, SCALE-16). */
  @BeforeRecordDelete(SUPERUSERS_ID)
  async keepLast({ record }: RecordDeleteEvent): Promise<void> {
    if (isInstaller(record)) return;
    await this.database.lock('the last superuser');
    const { name } = record.collection;
    const other = await this.database.get({
      kind: 'select',
      columns: [],
      from: table(name),
      where: and(
        compare(column(name, 'id'), 'isNot', param(record.id)),
        compare(column(name, 'email'), 'isNot', param(INSTALLER_EMAIL)),
      ),
      limit: 1,
    });
    if (!other) throw new BadRequestError('The last superuser cannot be deleted.');
  }

  /**
   * Removes the installer account with the first superuser, however that was created, so the printed link is dead
   * (AUTH-1206).
   */
  @BeforeRecordCreate(SUPERUSERS_ID)
  async retireInstaller({ record }: RecordCreateEvent): Promise<void> {
    if (isInstaller(record)) return;
    const collection = this.store.catalog.find(SUPERUSERS_ID)!;
    const installer = await this.authRecords.findByIdentity(collection, 'email', INSTALLER_EMAIL);
    if (installer) await this.records.consume(SUPERUSERS_ID, installer.id);
  }

  /**
   * Lets nobody take the address of the installer account: who has it counts as no superuser, and goes with the next one
   * that is created. A service alone creates that account, for nobody.
   */
  @ValidateRecord(SUPERUSERS_ID)
  keepInstallerAddress({ record, caller, errors }: ValidateRecordEvent): void {
    const isOurs = record.isNew ? caller === null : record.original('email') === INSTALLER_EMAIL;
    const error = installerAddressError(String(record.get('email')));
    if (error && !isOurs) errors['email'] = error;
  }
}
