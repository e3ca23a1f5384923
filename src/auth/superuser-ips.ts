import { Injectable } from '@nestjs/common';
import { IpList } from '../kernel/ip-list.js';
import { ForbiddenError } from '../kernel/errors/forbidden.error.js';
import { SUPERUSERS_ID } from '../kernel/records/caller.js';
import type { RecordModel } from '../kernel/records/record-model.js';
import { SettingsService } from '../settings/settings.service.js';

/** From where superusers may act: the setting `superuserIPs` (AUTH-206). */
@Injectable()
export class SuperuserIps {
  constructor(private readonly settings: SettingsService) {}

  /** Throws 403 when the record is a superuser and the address is not in a list that has any. */
  require(record: RecordModel | null, ip: string): void {
    if (record?.collection.id !== SUPERUSERS_ID) return;
    const { superuserIPs } = this.settings.get();
    if (superuserIPs.length > 0 && !IpList.of(superuserIPs).has(ip)) {
      throw new ForbiddenError('Superusers may not sign in from this address.');
    }
  }
}
