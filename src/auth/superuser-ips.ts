import { Injectable } from '@nestjs/common';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import { SUPERUSERS_ID } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { allowsSuperusers } from '../settings/allows-superusers.js';
import { SettingsService } from '../settings/settings.service.js';

/** From where superusers may act: the setting `superuserIPs` (AUTH-206). */
@Injectable()
export class SuperuserIps {
  constructor(private readonly settings: SettingsService) {}

  /** Throws 403 when the record is a superuser and the address is not in a list that has any. */
  require(record: RecordModel | null, ip: string): void {
    if (record?.collection.id !== SUPERUSERS_ID || allowsSuperusers(this.settings.get(), ip)) return;
    throw new ForbiddenError('Superusers may not sign in from this address.');
  }
}
